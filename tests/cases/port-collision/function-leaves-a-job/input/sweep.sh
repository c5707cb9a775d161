#!/bin/bash
start() {
  accelerate launch --num_processes 4 --main_process_port 29520 "$1" &
}
start pretrain.py
start finetune.py
wait
