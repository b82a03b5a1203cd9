"""What the engine knows about Russian and English text: normal forms, stems, sentences, facts, sparse vectors.

Pure functions without I/O or models; everything above types may use them.
"""
