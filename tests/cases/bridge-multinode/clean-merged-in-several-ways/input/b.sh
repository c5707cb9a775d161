docker compose -f compose.yaml -f big.yaml -f cluster.yaml up
