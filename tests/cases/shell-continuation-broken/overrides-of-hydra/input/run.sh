torchrun --standalone --nproc_per_node=4 \
    -m trainers.sft \
    data.train=a.parquet \ 
    model.path=small \
    trainer.epochs=1

torchrun --standalone --nproc_per_node=4 -m trainers.sft \
    data.train=a.parquet
    +trainer.resume=true

torchrun --standalone --nproc_per_node=4 -m trainers.sft \
    # warmed up before
    optim.lr=1e-5
