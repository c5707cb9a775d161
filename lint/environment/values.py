"""Values that an environment variable does not take.

Sources: the table of `cfglint.environment.variables`; NCCL's and Gloo's choice of interfaces;
CUDA's reading of CUDA_VISIBLE_DEVICES, which stops at the first word that is no device; CANN's
reference of ASCEND_RT_VISIBLE_DEVICES, whose numbers must ascend; torch's parsers of options of
the allocator (CUDAAllocatorConfig.cpp, since 2.9 AllocatorConfig.cpp): `True` and `False`;
accelerate's comparisons (state.py, accelerator.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.environment import variables as environment
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Computed, Unknown, Variable, parse_int
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.spelling import CURLY

_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")
_QUOTED = lazy(r"([\"']).*\1")
# accelerate compares them with these words: others turn nothing on, without a message.
_ACCELERATE = {
    "ACCELERATE_USE_FSDP": ("true", "false"),
    "ACCELERATE_USE_MEGATRON_LM": ("true", "false"),
    "ACCELERATE_MIXED_PRECISION": ("no", "fp16", "bf16", "fp8"),
}
_LOADING = "FSDP_CPU_RAM_EFFICIENT_LOADING"
_MEANT = {
    **dict.fromkeys(("1", "yes", "on", "y", "t"), "true"),
    **{"bfloat16": "bf16", "float16": "fp16", "half": "fp16"},
}
_OFF = ("0", "no", "off", "n", "f", "none", "fp32", "float32")  # as good as what is not known
_ADDRESS = lazy(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_INTERFACE = lazy(r"(?:ib|eth|bond)\d+|en[ops]\d\w*")
_RANGE = lazy(r"(\d{1,3})-(\d{1,3})")
_HEX = lazy(r"0[xX][0-9a-fA-F]+")
_LIST = lazy(r"[,;:^]")
_NUMBERS = lazy(r"\d{1,3}(?:,\d{1,3})*")
# What the machine's own addresses are cut out of, behind commands that may fail.
_OWN_ADDRESS = lazy(
    r"(?:\$\(|`)(?:[^|`;]*\|\|)*\s*hostname\s+(?:-[iI]|--ip-address|--all-ip-addresses)\s*"
    r"(?:\|\s*(?:awk|cut|head|tr|sed|xargs)\b[^|`]*)*(?:\)|`)"
)
_DEVICES = ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
_SWITCH = lazy(
    r"(?:^|,)\s*(?P<option>expandable_segments|release_lock_on_(?:cuda|hip)malloc"
    r"|pinned_use_(?:(?:cuda|hip)_host_register|background_threads)"
    r"|graph_capture_record_stream_reuse|throw_on_cudamalloc_oom)(?P<said>\s*[:=]\s*\w+)\s*(?=,|$)"
)


@dataclass(frozen=True, slots=True)
class Misfit:
    """A value that its variable does not take.

    `kind`: "quotes" (that stay in the value), "curly" (quotes of a word processor), "devices"
    (that are none), "order" (of devices, where it counts), "switch" (an option that is neither True
    nor False), "range" (a number above the largest), "address" (where interfaces are named),
    "interface" (where RDMA devices are) or
    "word". `meant` is the value that says it ("" for no variable at all), None where it is not
    known; `takes` says what a variable takes.
    """

    kind: str
    name: str
    setting: Setting
    text: str
    meant: str | None = None
    takes: str = ""


def misfits(launch: Launch) -> Iterator[Misfit]:
    """The values of a launch's environment that their variables do not take."""
    is_pasted = any(quote in launch.document.source.text for quote in CURLY)
    for name, setting in launch.variables((lambda _: True) if is_pasted else _has_words):
        if setting.key != name:
            continue
        if name in _ACCELERATE and launch.launcher == "accelerate":
            continue  # accelerate launch sets them anew
        if name == "ACCELERATE_USE_FSDP" and _LOADING in launch.env:
            continue  # transformers reads both, in any spelling, and its trainer says "true" itself
        found = None
        for one in setting.readings():
            found = _of_text(launch, name, one, one.text or "")
            if found is not None and not _is_corrected(launch, one, setting):
                yield found
        if setting.text is None and name.endswith("_SOCKET_IFNAME"):
            found = _computed_address(name, setting)
            if found is not None:
                yield found


def _of_text(launch: Launch, name: str, setting: Setting, text: str) -> Misfit | None:
    if text and text[0] in CURLY and text[-1] in CURLY and len(text) > 2:
        return Misfit("curly", name, setting, text, text[1:-1])
    gpus = launch.container.gpus if launch.container is not None else None
    return _misfit(name, setting, text, gpus) if text else None


def _is_corrected(launch: Launch, one: Setting, setting: Setting) -> bool:
    """Whether the script may take a default, or what a branch sets, back: `[ "$X" = all ] && unset
    X`."""
    name = setting.key
    return one is not setting and any(
        f"unset {name}" in file.source.text for file in launch.documents()
    )


def _has_words(name: str) -> bool:
    """Whether it is known what a variable takes."""
    if name in _DEVICES or name.endswith(("_SOCKET_IFNAME", "_ALLOC_CONF")):
        return True
    return name in _ACCELERATE or environment.variable(name) is not None


def _misfit(name: str, setting: Setting, text: str, gpus: int | None) -> Misfit | None:
    if name in _DEVICES:
        meant = _devices(text, gpus)
        if meant is None and name.startswith("ASCEND_"):
            return _in_order(name, setting, text)
        return None if meant is None else Misfit("devices", name, setting, text, meant)
    if name.endswith("_ALLOC_CONF"):
        return _switches(name, setting, text) if name.startswith("PYTORCH_") else None
    if _QUOTED.fullmatch(text) and environment.variable(name):
        return Misfit("quotes", name, setting, text, text[1:-1])
    if name.endswith("_SOCKET_IFNAME"):
        return Misfit("address", name, setting, text) if _ADDRESS.search(text) else None
    if name == "NCCL_IB_HCA":
        names = [one.partition(":")[0].strip() for one in text.lstrip("^=").split(",")]
        is_one = any(map(_INTERFACE.fullmatch, names))
        return Misfit("interface", name, setting, text) if is_one else None
    if name in _ACCELERATE:
        return _of_accelerate(name, setting, text)
    known = environment.variable(name)
    takes = _refuses(known, text) if known is not None else ""
    if known is None or not takes:
        return None
    if takes[0].isdigit() and " to " in takes:
        return Misfit("range", name, setting, text, None, takes)
    return Misfit("word", name, setting, text, _plain(known, text.lower()), takes)


def _of_accelerate(name: str, setting: Setting, text: str) -> Misfit | None:
    words, said = _ACCELERATE[name], text.lower()
    if text in words or said in _OFF or (said in words and words[0] == "true"):
        return None
    meant = said if said in words else _MEANT.get(said)
    return Misfit("word", name, setting, text, meant if meant in words else None, ", ".join(words))


def _computed_address(name: str, setting: Setting) -> Misfit | None:
    """An interface that is named by a command, or a default, which prints addresses."""
    value = setting.value
    if isinstance(value, Variable) and value.default is not None:
        value = value.default
    if not isinstance(value, (Computed, Unknown)) or not _OWN_ADDRESS.fullmatch(value.text):
        return None
    return Misfit("address", name, setting, value.text)


def _in_order(name: str, setting: Setting, text: str) -> Misfit | None:
    if not _NUMBERS.fullmatch(text):
        return None
    numbers = [int(one) for one in text.split(",")]
    meant = sorted(set(numbers))
    return (
        None
        if meant == numbers
        else Misfit("order", name, setting, text, ",".join(map(str, meant)))
    )


def _switches(name: str, setting: Setting, text: str) -> Misfit | None:
    """An option of torch's allocator that is switched by another word than True or False."""
    for match in _SWITCH.finditer(text):
        sign, word = match["said"].strip()[0], match["said"].strip("\t :=")
        meant = {**dict.fromkeys((*_TRUE, "1"), "True"), **dict.fromkeys((*_FALSE, "0"), "False")}
        known = meant.get(word.lower())
        if (word not in ("True", "False") or sign != ":") and known is not None:
            begin, end = match.span("said")
            whole = f"{text[:begin]}:{known}{text[end:]}"
            return Misfit("switch", name, setting, match["option"], whole)
    return None


def _devices(text: str, gpus: int | None) -> str | None:
    """The list that "all" or a range stands for, "" for all; None for anything else.

    A container that is given fewer `gpus` than the range names has them from 0 on.
    """
    if text.lower() == "all":
        return ""
    bounds = _RANGE.fullmatch(text)
    if bounds is None or not int(bounds[1]) < int(bounds[2]) < 256:
        return None
    numbers = range(int(bounds[1]), int(bounds[2]) + 1)
    if gpus and numbers[-1] >= gpus:
        numbers = range(min(len(numbers), gpus))
    return ",".join(map(str, numbers))


def _refuses(known: environment.Variable, text: str) -> str:
    """What a variable takes, where it does not take a text; "" where it does, or may."""
    if known.read_by not in ("nccl", "torch"):
        return ""
    if known.type in ("enum", "bool") and known.choices:
        # A list of subsystems or algorithms takes more than one word.
        if _LIST.search(text) or text.lower() in (c.lower() for c in known.choices):
            return ""
        is_number = known.type == "bool" and parse_int(text) is not None
        return "" if is_number else ", ".join(known.choices)
    if known.type == "int" and known.read_by == "nccl":
        number = parse_int(text)
        if number is not None and known.max is not None and number > known.max:
            return f"{known.min or 0} to {known.max}"
        is_number = number is not None or _HEX.fullmatch(text) is not None
        return "" if is_number else "a number"
    return ""


def _plain(known: environment.Variable, text: str) -> str | None:
    """What the word plainly means, in a form the variable takes."""
    switches = "1" in known.choices or known.type == "int"
    if text in _TRUE and switches:
        return "1"
    if text in _FALSE and switches:
        return "0"
    # A word that NCCL does not know turns nothing on; INFO would fill the logs of every rank.
    loud = known.name == "NCCL_DEBUG" and text in ("error", "warning", "debug", "1", "true")
    return "WARN" if loud else None
