import yaml

from mine import search
