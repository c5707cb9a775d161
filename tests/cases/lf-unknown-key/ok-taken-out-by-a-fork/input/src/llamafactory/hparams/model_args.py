from dataclasses import dataclass


@dataclass
class OtherArguments:
    other: int = 1
