"""Evaluation: answers, models, the engine, runs, measures, reports and exports. It knows no scene and no source."""
