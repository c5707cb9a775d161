#!/bin/bash
llamafactory-cli train train.json
