"""Additive noise distributions: frozen classes with a sampler, a log density and a variance."""
