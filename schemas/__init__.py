"""Data derived from the real packages by the scripts in schemas/derive/."""
