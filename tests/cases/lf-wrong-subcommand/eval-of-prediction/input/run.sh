llamafactory-cli eval predict.yaml
