llamafactory-cli train sft.yaml --output_dir /ckpt/run1 --learning-rate=2e-5 --bf16
llamafactory-cli train sft.yaml --output_dir "$OUT"
