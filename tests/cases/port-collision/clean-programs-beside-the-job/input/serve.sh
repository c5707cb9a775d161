#!/bin/bash
export MASTER_ADDR=localhost MASTER_PORT=29511
python server.py --port 8000 &
sleep 5
python client.py
