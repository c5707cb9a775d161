#!/bin/bash
ufw allow 29500/tcp
ufw allow from 10.1.0.0/16
