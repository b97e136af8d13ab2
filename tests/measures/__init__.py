"""What our own page and machine are measured by: ``python -m tests.measures.NAME``, each a screen long.

``page``, ``crowd``, ``memory``: the page. ``calls``, ``sizes``, ``busy``, ``reading``, ``vocabulary``: the models.
``pictures``: those of the README. Each prints a table and, with ``--json FILE``, saves what it measured.
"""
