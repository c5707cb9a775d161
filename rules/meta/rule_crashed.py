"""A rule of cfglint itself failed on a file.

## What it means

This is a fault of cfglint, not of the file. The other rules have still reported, but what this rule
would have said is not known, so the exit code is 2.

## What to do

Report it, with the file if you can share it. Until it is mended, `ignore` the rule that the message
names.
"""

from cfglint.rule import ERROR, Rule

RULE = Rule(
    code="META000",
    name="rule-crashed",
    severity=ERROR,
    summary="a rule of cfglint failed on this file",
    help="Please report this; it is a fault of cfglint. `ignore` the named rule meanwhile.",
)
