podman run --rm --device nvidia.com/gpu=all --cgroups=split --pod lab --umask 022 --secret hf --tz local example.org/trainer torchrun --standalone --nproc_per_node=8 train.py
