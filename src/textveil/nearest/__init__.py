"""Nearest word: backends behind one Protocol, ``nearest(vectors)`` to get the fastest exact one."""

from textveil.nearest.choice import nearest as nearest
from textveil.nearest.projection import Projection as Projection
