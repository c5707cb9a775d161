import json

import deepspeed


def engine(model, size):
    with open("conf/ds_zero2.json") as file:
        config = json.load(file)
    config["train_micro_batch_size_per_gpu"] = size
    return deepspeed.initialize(model=model, config=config)[0]
