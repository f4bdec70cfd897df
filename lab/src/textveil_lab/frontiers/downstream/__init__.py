"""Learning from sanitized documents: tasks, a linear classifier, and accuracies with intervals."""
