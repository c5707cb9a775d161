#!/bin/bash
# it's a comment, and so is this "
say() { case "$1" in a) echo "it's";; *) echo 'say "hi"';; esac; }
cat > notes.txt <<'EOF'
That's one quote, and "another
EOF
PROMPT='It'\''s time'
ANSI=$'it\'s'
N=${#PROMPT} LIST=$(echo "a b" | tr ' ' "'")
FILES=`ls | grep -c '"'`
echo "$(echo "nested 'one'") \" $((N << 1))" \
  "lines
of a string"
torchrun --standalone --nproc_per_node=2 train.py --prompt "$PROMPT"
