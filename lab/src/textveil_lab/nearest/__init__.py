"""Nearest word: backends behind one Protocol, ``nearest(vectors)`` to get the fastest exact one."""

from textveil_lab.nearest.choice import nearest as nearest
from textveil_lab.nearest.projection import Projection as Projection
