"""What may be asked of a scene: what people ask for, which colors are usual, what belongs where, what may be denied.

The rules are records in ``data/*.yaml``, each with its value, where it comes from and a reason; :mod:`.rules` reads
them, and ``docs/background/askable.md`` lists them all.
"""
