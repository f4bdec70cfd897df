"""What released corpora say: frequencies with intervals, features and laws of words; from releases and public facts."""
