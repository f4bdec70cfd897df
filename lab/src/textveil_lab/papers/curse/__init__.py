"""dX-privacy for text and the curse of dimensionality (Asghar, Carpentier, Zhao and Kaafar, PoPETs 2026(1))."""
