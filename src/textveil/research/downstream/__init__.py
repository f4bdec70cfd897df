"""What is learned from sanitized documents: tasks, a linear classifier, networks, and accuracies with intervals."""
