docker run --rm --gpus all -v $PWD:/w -w /w train:1 bash run.sh
