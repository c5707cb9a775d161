if [ "$PRECISION" = bf16 ]; then
    TYPES=(--bf16 true --fp16 false)
else
    TYPES=(--bf16 false --fp16 true)
fi
swift sft --model /models/base --train_type full "${TYPES[@]}" --dataset /data/sft.jsonl
