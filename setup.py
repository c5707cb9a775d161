"""The packages are found, not listed: a new folder of rules needs no entry anywhere."""

from setuptools import find_packages, setup

FOLDERS = {"cfglint": "lint", "cfglint.rules": "rules", "cfglint.schemas": "schemas"}

setup(
    packages=[
        name
        for package, folder in FOLDERS.items()
        for name in [package, *(f"{package}.{sub}" for sub in find_packages(folder))]
    ],
    package_data={"cfglint": ["py.typed"], "cfglint.schemas": ["*.json"]},
)
