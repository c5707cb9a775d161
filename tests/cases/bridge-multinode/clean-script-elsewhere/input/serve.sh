#!/bin/bash
python serve.py
