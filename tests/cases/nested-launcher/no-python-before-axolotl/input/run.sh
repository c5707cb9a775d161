accelerate launch --num_processes 8 --no_python axolotl train config.yml
