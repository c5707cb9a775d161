python -m torch.distributed.run --standalone --nproc_per_node=2 train.py -m mixup
python train.py -m resnet50 --note "-m torch.distributed.launch"
python -c 'print(1)' -m torch.distributed.launch
