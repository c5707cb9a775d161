pdsh -R ssh -w a,b /srv/train/node.sh
