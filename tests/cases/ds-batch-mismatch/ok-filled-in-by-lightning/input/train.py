import pytorch_lightning as pl
from pytorch_lightning.strategies import DeepSpeedStrategy


def main(args):
    strategy = DeepSpeedStrategy(config=args.deepspeed_config_path)
    pl.Trainer(strategy=strategy).fit(make_model(args))
