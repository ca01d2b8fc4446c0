"""Importers of released data sets whose pairs are scored by RAD: YesNoVQA, VQA-Rephrasings and ConVQA."""
