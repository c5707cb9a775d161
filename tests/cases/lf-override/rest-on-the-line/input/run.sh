llamafactory-cli train base.yaml do_train=true dataset=identity output_dir=out learning_rate=1e-4
