llamafactory-cli train sft.yaml output_dir=/ckpt/run1 learning_rate=2e-5 bf16=true
llamafactory-cli train sft.yaml --output_dir "$OUT"
