rm -f ~/.deepspeed_env
echo "HF_HUB_OFFLINE=1" >> ~/.deepspeed_env
export HF_HUB_OFFLINE=1
deepspeed --hostfile hostfile --master_addr g1 train.py
