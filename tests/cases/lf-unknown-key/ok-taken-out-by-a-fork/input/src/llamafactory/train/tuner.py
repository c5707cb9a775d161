def _training_function(config):
    args = config.get("args")
    probes = args.pop("probes", None)
    return get_train_args(args), probes
