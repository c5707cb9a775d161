DATASET_CONVERTERS = {
    "sharegpt_tree": SharegptTreeConverter,
}
