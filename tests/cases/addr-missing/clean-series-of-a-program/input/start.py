import os

CONFIG = "conf/fsdp_8gpu.yaml"  # the smallest of them


def command(gpus):
    config = CONFIG.replace("_8gpu", f"_{gpus}gpu")
    address = os.environ["CLUSTER_HEAD"]
    return ["accelerate", "launch", f"--config_file={config}", f"--main_process_ip={address}", "train.py"]
