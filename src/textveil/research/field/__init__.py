"""The table of the field, written for people and for machines."""
