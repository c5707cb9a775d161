"""The typed value of a YAML scalar, as PyYAML's safe loader (YAML 1.1) gives it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from cfglint.model.tree import Scalar

NULL, STR = "tag:yaml.org,2002:null", "tag:yaml.org,2002:str"
BOOL, INT = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:int"
_BOOLS = yaml.constructor.SafeConstructor.bool_values


@functools.cache
def _constructor() -> Any:
    return yaml.constructor.SafeConstructor()


def resolve(scalar: Scalar) -> Any:
    """The typed value of a scalar as PyYAML's safe loader (YAML 1.1) gives it."""
    if scalar.tag is not None:
        return _construct(scalar.text, scalar.tag)
    return scalar.text if scalar.style else plain_value(scalar.text)


@functools.cache
def plain_value(text: str) -> Any:
    """The typed value of a plain scalar; configs repeat them."""
    return _construct(text, implicit_tag(text))


def _construct(text: str, tag: str) -> Any:
    if tag == STR:
        return text
    if tag == NULL:
        return None
    if tag == BOOL:
        return _BOOLS.get(text.lower(), text)
    if tag == INT and text.isdecimal() and text.isascii() and text[0] != "0" and len(text) < 19:
        return int(text)
    node = yaml.ScalarNode(tag, text)
    constructor = _constructor()
    method = constructor.yaml_constructors.get(tag)
    if method is None:
        return text
    try:
        return method(constructor, node)
    except (ValueError, KeyError, AttributeError, OverflowError, yaml.YAMLError):
        return text


@functools.cache
def implicit_tag(text: str) -> str:
    """The tag that YAML 1.1 gives a plain scalar."""
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers
    for tag, pattern in resolvers.get(text[:1], ()):
        if pattern.match(text):
            return str(tag)
    return STR
