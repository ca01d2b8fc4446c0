"""What is wrong with a suite itself: its contents, its labels, what a reader without the image gets right."""
