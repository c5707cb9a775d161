accelerate launch --use_fsdp --num_processes 8 \
  --fsdp_transformer_layer_cls_to_wrap \
  QwenDecoderLayer QwenVisionBlock train.py --lr 1e-5
