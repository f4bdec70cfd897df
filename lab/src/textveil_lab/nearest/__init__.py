"""Nearest word: backends behind one Protocol; ``nearest(vectors)`` returns the fastest exact one."""

from textveil_lab.nearest.choice import nearest as nearest
from textveil_lab.nearest.projection import Projection as Projection
