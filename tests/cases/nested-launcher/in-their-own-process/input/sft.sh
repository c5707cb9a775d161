accelerate launch --multi_gpu --num_processes 8 -m trl.scripts.sft --model_name_or_path Qwen/Qwen3-0.6B --output_dir out
accelerate launch -m axolotl.cli.train lora.yml
torchrun --nproc_per_node=8 -m axolotl.cli.main train lora.yml --launcher python
torchrun --nproc_per_node=8 -m axolotl.cli.main preprocess lora.yml
torchrun --standalone --nproc_per_node=4 -m swift.cli.sft --model Qwen/Qwen3-0.6B
trl sft --num_processes 4 --model_name_or_path Qwen/Qwen3-0.6B
