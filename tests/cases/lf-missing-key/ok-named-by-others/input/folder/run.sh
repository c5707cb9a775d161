cd "$WORK"
llamafactory-cli train moved.yaml
