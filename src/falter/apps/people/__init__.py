"""Judgements of people: tasks from a suite, a page to answer them on, and what the answers say."""
