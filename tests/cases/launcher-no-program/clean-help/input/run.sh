#!/bin/bash
torchrun --help
accelerate launch --help
