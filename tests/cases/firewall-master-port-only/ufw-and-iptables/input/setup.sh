#!/bin/bash
sudo ufw allow from 10.1.0.0/16 to any port 29500 proto tcp
iptables -A INPUT -p tcp -s 10.1.0.0/16 --dport 29500 -j ACCEPT  # rank 0
aws ec2 authorize-security-group-ingress --group-id sg-1 --protocol tcp --port 29500 --cidr 10.1.0.0/16
