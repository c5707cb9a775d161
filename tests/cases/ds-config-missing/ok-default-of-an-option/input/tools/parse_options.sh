#!/bin/bash
while [ -n "$1" ]; do
  case "$1" in
    --*) eval "${1#--}=\"$2\""; shift 2 ;;
    *) break ;;
  esac
done
