accelerate launch --multi_gpu --num_processes 8 trl sft --model_name_or_path Qwen/Qwen3-0.6B --output_dir out

torchrun --nproc_per_node=8 -m axolotl.cli.main train lora.yml

export NPROC_PER_NODE=4
torchrun --nproc_per_node=4 $(which swift) sft --model Qwen/Qwen3-0.6B
