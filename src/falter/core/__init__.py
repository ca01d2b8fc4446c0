"""What everything else stands on: errors, files, registries, bundles, executors, progress and tables."""
