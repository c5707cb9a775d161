export DS_ENV_FILE=cluster/ds.env
export HF_HUB_OFFLINE=1
export GLOO_SOCKET_IFNAME=eth0
deepspeed --hostfile hostfile --master_addr g1 train.py
