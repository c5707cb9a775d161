# syntax=docker/dockerfile:1
FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
WORKDIR /app
ENV PYTHONUNBUFFERED=1 \
    # filled in by the operator
    WORLD_SIZE="16"
COPY train.py .
CMD python train.py
