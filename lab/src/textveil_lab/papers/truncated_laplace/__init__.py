"""Paper on truncated Laplace noise (Huang et al., EMNLP 2024): its numbers, and its experiments again."""
