import json

from transformers import HfArgumentParser

from arguments import ChatArguments, ModelArguments

model, chat = HfArgumentParser((ModelArguments, ChatArguments)).parse_args_into_dataclasses()
with open(chat.deepspeed) as file:
    config = json.load(file)
