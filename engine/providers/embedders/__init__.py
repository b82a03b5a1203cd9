"""Embedders: two that carry their model and run offline, BGE-M3, an OpenAI-compatible endpoint, and a cache for any."""
