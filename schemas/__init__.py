"""Data derived from the real packages by the scripts in schemas/derive/."""

from __future__ import annotations

import json
import os
from typing import Any


def read(name: str) -> Any:
    """The data of `<name>.json` of this folder."""
    # importlib.resources would import a quarter of the standard library for this.
    with open(os.path.join(os.path.dirname(__file__), f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)
