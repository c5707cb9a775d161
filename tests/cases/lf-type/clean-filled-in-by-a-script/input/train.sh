export learning_rate=1.0e-5 cutoff_len=2048 dataset=identity
envsubst < sft.yaml > filled.yaml
llamafactory-cli train filled.yaml
