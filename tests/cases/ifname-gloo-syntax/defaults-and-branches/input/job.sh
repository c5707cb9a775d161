IF=$(ip -o -4 addr show | awk '!/: lo/ {print $2}' | head -n 1)
if [ -z "$IF" ]; then
  export GLOO_SOCKET_IFNAME=^lo,docker0
else
  export GLOO_SOCKET_IFNAME=$IF
fi
torchrun --standalone --nproc_per_node=4 train.py
