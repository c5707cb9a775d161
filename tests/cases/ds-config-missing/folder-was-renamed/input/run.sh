accelerate launch -m pkg.train sft.yml --deepspeed deepspeed/zero2.json
