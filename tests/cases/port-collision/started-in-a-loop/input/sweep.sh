for seed in 1 2 3; do
    CUDA_VISIBLE_DEVICES=$seed nohup ./run.sh $seed 1 > $seed.log 2>&1 &
done
