#!/bin/bash
export MASTER_PORT=29511
cd jobs && bash ./inner.sh
