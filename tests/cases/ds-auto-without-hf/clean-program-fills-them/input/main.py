from trainer import Trainer

Trainer().fit()
