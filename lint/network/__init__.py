"""Addresses, interfaces, host names and firewalls, as the files name them."""
