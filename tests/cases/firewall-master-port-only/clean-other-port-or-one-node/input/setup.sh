#!/bin/bash
firewall-cmd --permanent --add-port=6006/tcp
firewall-cmd --permanent --add-port=29501/tcp
