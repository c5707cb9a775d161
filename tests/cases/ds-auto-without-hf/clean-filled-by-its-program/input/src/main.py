import deepspeed

from continual import method, parse

if __name__ == "__main__":
    deepspeed.init_distributed()
    method(parse()).run()
