export HF_HUB_OFFLINE=1
export DS_ENV_FILE="$(pwd)/cluster/.deepspeed_env"
deepspeed --hostfile hostfile --master_addr g1 train.py
