"""Reports that people like to look at."""
