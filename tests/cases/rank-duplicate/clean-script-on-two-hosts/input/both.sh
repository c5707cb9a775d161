ssh 10.11.0.2 'cd /ws && bash scripts/node.sh 0' &
ssh 10.11.0.3 'cd /ws && bash scripts/node.sh 1' &
wait
