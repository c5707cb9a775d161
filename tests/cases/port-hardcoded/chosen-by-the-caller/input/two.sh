PORT=23456 bash run.sh a &
PORT=23457 bash run.sh b &
wait
