OPTIONS="--epochs 1 --devices 2"
MASTER_ADDR=localhost MASTER_PORT=4100 LOCAL_RANK=1 python fit.py $OPTIONS &
MASTER_ADDR=localhost MASTER_PORT=4100 LOCAL_RANK=0 python fit.py $OPTIONS
