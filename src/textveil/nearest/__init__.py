"""Nearest word: backends behind one Protocol, ``nearest(vectors)`` to get the fastest exact one."""

from textveil.nearest.base import Projection as Projection
from textveil.nearest.choice import nearest as nearest
