for rate in 1e-4 3e-4; do
    ssh worker-a "cd /srv/job; accelerate launch --num_processes 2 --main_process_port 29600 train.py --lr $rate" &
done
wait
