from torch.distributed.run import main

main()
