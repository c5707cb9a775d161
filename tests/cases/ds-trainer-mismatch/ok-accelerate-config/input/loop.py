from accelerate import Accelerator
