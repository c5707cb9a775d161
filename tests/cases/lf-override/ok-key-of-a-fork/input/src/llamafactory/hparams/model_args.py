from dataclasses import dataclass, field


@dataclass
class RingArguments:
    ring_degree: int = field(default=1, metadata={"help": "How many ranks share a sequence."})
