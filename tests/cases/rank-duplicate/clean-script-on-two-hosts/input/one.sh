ssh 10.11.0.2 bash scripts/rest.sh
ssh 10.11.0.2 bash scripts/rest.sh
