llamafactory-cli train bench.yaml

llamafactory-cli train serve.yaml
