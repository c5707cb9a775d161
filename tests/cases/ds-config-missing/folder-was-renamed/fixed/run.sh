accelerate launch -m pkg.train sft.yml --deepspeed deepspeed_configs/zero2.json
