"""The functions behind ``import falter``: suites, runs, results, reports. The command line calls the same ones."""
