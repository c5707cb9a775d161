torchrun --standalone --nproc_per_node=4 -m trainers.sft \
    data.train=a.parquet \
    trainer.epochs=1
if [ "$1" = again ]; then
    OUT=second
    files[0]=a.parquet
    torchrun --standalone --nproc_per_node=4 -m trainers.sft data.train=$OUT
fi
echo "read C:\ "
key.name=value ./configure
