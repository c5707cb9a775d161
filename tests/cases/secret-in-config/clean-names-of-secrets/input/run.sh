#!/bin/bash
beaker create --env-secret WANDB_API_KEY=TEAM_WANDB_API_KEY --secret HF_TOKEN=some0ne_HF_TOKEN
new_secret="+$(date +%s | sha256sum | base64 | head -c 16)"
gcloud compute instances create vm --metadata-from-file startup=boot.sh,runner_token=runner-token.txt
export ANTHROPIC_API_KEY=sk-ant-api03-PLACEHOLDER
API_KEY=tml-dummy uv run train.py
env | grep -E '^PATH=|^HF_TOKEN=|^WANDB_API_KEY=|^WANDB_TOKEN=|^_='
sed -ri 's/^passwd:.*/passwd:     files sss systemd/' /etc/nsswitch.conf
gcloud secrets versions access latest --secret="project-creator-folder-id"
export GOOGLE_APPLICATION_CREDENTIALS="../../cloud_credentials"
header_token="X-cloud-ec2-metadata-token"
torchrun --standalone --nproc_per_node=2 train.py
