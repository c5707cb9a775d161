mpirun --allow-run-as-root -np 8 -H gpu1:4,gpu2:4 -bind-to none -map-by slot -x NCCL_SOCKET_IFNAME=^docker0,lo -x LD_LIBRARY_PATH python train.py
