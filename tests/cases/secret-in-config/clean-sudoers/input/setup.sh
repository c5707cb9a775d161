#!/bin/bash
sed -i '/%wheel ALL=(ALL) NOPASSWD: ALL/s/^#//' /etc/sudoers
sed -i "s/password=askheadless/password=ask/g" /etc/desk.ini
