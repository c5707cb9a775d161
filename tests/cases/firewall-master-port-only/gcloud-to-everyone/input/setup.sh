#!/bin/bash
gcloud compute firewall-rules create train \
    --allow=tcp:29500 --source-ranges=0.0.0.0/0
sudo ufw allow 22/tcp
