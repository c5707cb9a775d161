"""K8S: Kubernetes manifests of training jobs."""

KINDS = ("kubernetes",)
