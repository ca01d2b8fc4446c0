"""Published benchmarks: one bundle per folder, with an importer, layouts of released answers, and published figures.

``release.py`` of each holds its importer. A new one is a folder like these and a line in ``falter/suites/__init__.py``.
"""
