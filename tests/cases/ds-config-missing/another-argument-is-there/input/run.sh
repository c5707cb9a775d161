torchrun --standalone --nproc_per_node 2 -m pkg.train --config conf/sft.yml --deepspeed ds/zero2.json
