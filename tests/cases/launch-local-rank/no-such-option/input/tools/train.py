from argparse import ArgumentParser


def main() -> None:
    parser = ArgumentParser(description="a model")
    group = parser.add_argument_group("training")
    group.add_argument("--lr", type=float)
    args = parser.parse_args()
    print(args.lr)
