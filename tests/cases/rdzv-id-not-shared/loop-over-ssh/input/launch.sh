for h in gpu01 gpu02; do ssh $h "cd /nfs/p && bash node.sh" & done; wait
