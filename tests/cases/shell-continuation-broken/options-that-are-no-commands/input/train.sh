#!/bin/bash
usage() {
    cat <<EOF
usage: torchrun train.py
    --outdir DIR
    --data FILE
EOF
}
ARGS=(
    torchrun
    --standalone
    --nproc_per_node=8
)
case "$1" in
    torchrun)
    --help) usage ;;
esac
HELP="torchrun train.py
    --outdir DIR"
# torchrun train.py
    # --outdir
"${ARGS[@]}" train.py
