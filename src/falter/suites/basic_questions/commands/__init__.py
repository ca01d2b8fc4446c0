"""The commands ``falter basic-questions rank`` and ``falter basic-questions robustness``."""
