torchrun --standalone --nproc_per_node=8 train.py --root /
./evaluate.py --root /
docker build --file docker/train.Dockerfile /
