i=0
for h in a b; do
  ssh $h "cd /w && NCCL_SOCKET_IFNAME=eth0 bash node.sh $i" &
  i=$((i+1))
done
wait
