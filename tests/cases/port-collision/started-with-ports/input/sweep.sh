for seed in 1 2 3; do
    PORT=$((23456 + seed)) bash run.sh $seed 1 &
done
wait
PORT=23001 bash run.sh 4 1 &
bash run.sh 5 1 &
wait
bash run.sh 6 1
ssh gpu-a "bash run.sh 7 1" &
ssh gpu-b "bash run.sh 8 1" &
sbatch run.sh 9 1 &
sbatch run.sh 10 1 &
