def get_dataset_list(info, name):
    if "shard_files" in info[name]:
        return DatasetAttr("shards", dataset_name=info[name]["shard_files"])
    return DatasetAttr("file", dataset_name=info[name]["file_name"])
