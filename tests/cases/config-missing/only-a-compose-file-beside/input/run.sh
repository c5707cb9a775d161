llamafactory-cli train my_sft.yaml
