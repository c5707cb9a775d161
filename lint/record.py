"""Dataclasses without the start-up cost: the same declarations, nothing compiled.

The standard decorator writes and compiles source text for every class, 0.5 to 0.8 ms each; the
hundred classes of this package would take longer to define than a file takes to lint. Here one
generic `__init__`, `__eq__` and `__repr__` serve all of them (20 us a class), and a class of which
many records are made gets an `__init__` of its own, compiled then. Type checkers see the standard
library's own names. Values live in `__dict__`, so `slots` is accepted and ignored. A class with an
`__init__` of its own may leave fields unset that have their default: the class holds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, fields, replace
else:
    _MISSING = object()
    _MANY = 200  # records of one class, from which on compiling its `__init__` pays

    class _Field:
        __slots__ = ("compare", "default", "factory", "init", "repr")

        def __init__(self, default, factory, init, repr_, compare):
            self.default = default
            self.factory = factory
            self.init = init
            self.repr = repr_
            self.compare = compare

    def field(*, default=_MISSING, default_factory=_MISSING, init=True, repr=True, compare=True):
        """A field with a default that is made anew, or that is left out of something."""
        return _Field(default, default_factory, init, repr, compare)

    def dataclass(cls=None, *, frozen=False, slots=False, eq=True, unsafe_hash=False):
        """The class with `__init__`, `__repr__` and, unless `eq` is false, `__eq__`."""

        def wrap(cls):
            return _build(cls, frozen, eq, frozen or unsafe_hash)

        return wrap if cls is None else wrap(cls)

    def _build(cls, frozen, eq, hashed):
        table = {}
        for base in reversed(cls.__mro__[1:]):
            table.update(base.__dict__.get("__record_fields__", {}))
        for name, annotation in cls.__dict__.get("__annotations__", {}).items():
            if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
                continue
            default = cls.__dict__.get(name, _MISSING)
            if isinstance(default, _Field):
                table[name] = default
                if default.default is _MISSING:
                    delattr(cls, name)
                else:
                    setattr(cls, name, default.default)
            else:
                table[name] = _Field(default, _MISSING, True, True, True)
        cls.__record_fields__ = table
        cls.__match_args__ = tuple(table)
        if "__init__" not in cls.__dict__:
            cls.__init__ = _init(cls, table)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = _repr
        if eq and "__eq__" not in cls.__dict__:
            compared = tuple(n for n, f in table.items() if f.compare)
            cls.__eq__ = _eq(cls, compared)
            cls.__hash__ = _hash(compared) if hashed else None
        if frozen:
            cls.__setattr__ = _refuse
            cls.__delattr__ = _refuse
        return cls

    def _init(cls, table):
        names = tuple(name for name, f in table.items() if f.init)
        count = len(names)
        defaults = {n: f.default for n, f in table.items() if f.default is not _MISSING}
        factories = tuple((n, f.factory) for n, f in table.items() if f.factory is not _MISSING)
        after = getattr(cls, "__post_init__", None)

        total = len(table)
        made = 0

        def __init__(self, *args, **given):
            nonlocal made
            made += 1
            if made == _MANY and cls.__init__ is __init__:
                cls.__init__ = _compiled(cls, table, after is not None)
            values = self.__dict__
            if defaults:
                values.update(defaults)
            if args:
                if len(args) > count:
                    raise TypeError(f"{cls.__name__} takes {count} values, not {len(args)}")
                values.update(zip(names, args))
            if given:
                values.update(given)
            if len(values) != total:
                for name, make in factories:
                    if name not in values:
                        values[name] = make()
                if values.keys() != table.keys():
                    wrong = sorted(values.keys() ^ table.keys())
                    raise TypeError(f"{cls.__name__}: missing or unknown: {', '.join(wrong)}")
            if after is not None:
                after(self)

        return __init__

    def _compiled(cls, table, has_after):
        """The same `__init__` as source text: slow to make, several times faster to call."""
        space = {"_MISSING": _MISSING}
        parameters, lines = ["self"], []
        for name, f in table.items():
            if f.default is not _MISSING:
                space[f"_{name}"] = f.default
            if f.factory is not _MISSING:
                space[f"_{name}"] = f.factory
            if not f.init:
                made = f"_{name}()" if f.factory is not _MISSING else f"_{name}"
                lines.append(_set(cls, name, made))
                continue
            if f.default is not _MISSING:
                parameters.append(f"{name}=_{name}")
            elif f.factory is not _MISSING:
                parameters.append(f"{name}=_MISSING")
                lines.append(f" if {name} is _MISSING: {name} = _{name}()")
            else:
                parameters.append(name)
            lines.append(_set(cls, name, name))
        if has_after:
            lines.append(" self.__post_init__()")
        exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or [" pass"]), space)
        return space["__init__"]

    def _set(cls, name, value):
        frozen = cls.__setattr__ is _refuse
        return f" self.__dict__[{name!r}] = {value}" if frozen else f" self.{name} = {value}"

    _shown = set()  # the records whose text is being made: some hold one another

    def _repr(self):
        if id(self) in _shown:
            return f"{type(self).__name__}(...)"
        _shown.add(id(self))
        try:
            shown = [
                f"{name}={getattr(self, name)!r}"
                for name, f in self.__record_fields__.items()
                if f.repr
            ]
        finally:
            _shown.discard(id(self))
        return f"{type(self).__name__}({', '.join(shown)})"

    def _eq(cls, compared):
        def __eq__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            if self is other:
                return True
            return all(getattr(self, name) == getattr(other, name) for name in compared)

        return __eq__

    def _hash(compared):
        def __hash__(self):
            return hash(tuple([getattr(self, name) for name in compared]))

        return __hash__

    def _refuse(self, name, *value):
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def replace(record, **changes):
        """A copy with some fields changed."""
        cls = type(record)
        names = cls.__record_fields__
        wrong = changes.keys() - names.keys()
        if wrong:
            raise TypeError(f"{cls.__name__} has no field {', '.join(sorted(wrong))}")
        values = record.__dict__
        if values.keys() != names.keys():  # fields left at their defaults, things computed later
            values = {name: values[name] for name in names if name in values}
        if hasattr(cls, "__post_init__"):
            return cls(**{**values, **changes})
        copy = cls.__new__(cls)
        copy.__dict__.update(values, **changes)
        return copy

    class _Name:
        __slots__ = ("name",)

        def __init__(self, name):
            self.name = name

    def fields(record):
        """The fields of a class or instance, each with its `name`."""
        return tuple(_Name(name) for name in record.__record_fields__)

    def asdict(record):
        """The values by name, records inside them turned too."""
        return {name: _plain(getattr(record, name)) for name in record.__record_fields__}

    def _plain(value):
        if hasattr(value, "__record_fields__"):
            return asdict(value)
        if isinstance(value, (list, tuple)):
            return type(value)(_plain(one) for one in value)
        if isinstance(value, dict):
            return {key: _plain(one) for key, one in value.items()}
        return value


__all__ = ["asdict", "dataclass", "field", "fields", "replace"]
