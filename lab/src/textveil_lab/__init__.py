"""Mechanisms of the literature, valid and refuted; audits of claims; frontiers; two papers measured again."""
