"""Additive noise laws: frozen classes with a sampler, a log density and a variance."""
