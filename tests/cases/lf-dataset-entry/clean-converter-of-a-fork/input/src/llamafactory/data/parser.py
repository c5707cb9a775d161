@dataclass
class DatasetAttr:
    branch: Optional[str] = None
