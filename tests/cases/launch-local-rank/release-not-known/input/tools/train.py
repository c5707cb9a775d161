from argparse import ArgumentParser


def main() -> None:
    parser = ArgumentParser(description="a model")
    group = parser.add_argument_group("training")
    group.add_argument("--lr", type=float)
    parser.add_argument("--local_rank", type=int, default=-1)
    args = parser.parse_args()
    print(args.lr)
