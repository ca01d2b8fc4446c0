"""What suites are made with: generators, importers, building a question, balancing answers."""
