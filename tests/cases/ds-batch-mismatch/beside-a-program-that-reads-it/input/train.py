import deepspeed
from accelerate import DeepSpeedPlugin

plugin = DeepSpeedPlugin(hf_ds_config="ds_zero2.json")
