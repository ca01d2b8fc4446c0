"""Published benchmarks: one bundle per folder, with an importer, layouts of released answers, and published figures."""
