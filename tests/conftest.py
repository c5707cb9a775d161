"""Shared set-up of the tests."""

from __future__ import annotations

import os

os.environ["NO_COLOR"] = "1"
os.environ.pop("FORCE_COLOR", None)
