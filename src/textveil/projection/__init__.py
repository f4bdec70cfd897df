"""Nearest word: backends behind one Protocol, ``nearest(vectors)`` to get the fastest exact one."""

from textveil.projection.base import Projection as Projection
from textveil.projection.choice import nearest as nearest
