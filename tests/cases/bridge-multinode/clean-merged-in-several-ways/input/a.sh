docker compose -f compose.yaml -f cluster.yaml up
