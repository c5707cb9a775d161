import subprocess
subprocess.run(["accelerate", "launch", "--config_file", "acc.yaml", *count(), "train.py"])
