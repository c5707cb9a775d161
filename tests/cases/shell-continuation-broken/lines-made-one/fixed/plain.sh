CUDA_VISIBLE_DEVICES=5 python src/train_bash.py \
  --stage rm \
  --template qwen
