"""Costs and benefits of policies and epsilons on a sample: task accuracy, entities still verbatim, decoded words."""
