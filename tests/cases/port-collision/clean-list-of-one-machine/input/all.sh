MACHINES=(
    "worker-a"
)
rank=1
for machine in "${MACHINES[@]}"; do
    ssh -n admin@${machine} "cd /srv/job; accelerate launch --config_file both.yaml --machine_rank $rank train.py" &
    rank=$((rank + 1))
done
wait
