torchrun --standalone --nproc_per_node=4 \
    -m trainers.sft \
    data.train=a.parquet \
    model.path=small \
    trainer.epochs=1

torchrun --standalone --nproc_per_node=4 -m trainers.sft \
    data.train=a.parquet \
    +trainer.resume=true

# warmed up before
torchrun --standalone --nproc_per_node=4 -m trainers.sft \
    optim.lr=1e-5
