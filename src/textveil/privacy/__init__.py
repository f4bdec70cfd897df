"""What is promised: guarantees as data, their composition and their calibration."""
