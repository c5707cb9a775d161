deepspeed --master_port 29511 a.py &
deepspeed --master_port 29512 b.py &
wait
