import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--num_gpus", type=int)
parser.add_argument("--num_processes", type=int)
