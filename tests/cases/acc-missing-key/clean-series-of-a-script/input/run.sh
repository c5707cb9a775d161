accelerate launch --config_file conf/nodes_zero2.yaml --num_machines $NODES --num_processes $PROCESSES \
    --machine_rank $RANK --main_process_ip $MASTER_ADDR --main_process_port $MASTER_PORT train.py
