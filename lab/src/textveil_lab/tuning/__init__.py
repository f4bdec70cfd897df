"""What policies and epsilons cost and hide on a sample: accuracy of a task, entities still verbatim, words decoded."""
