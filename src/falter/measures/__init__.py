"""Measures: functions from outcomes to scores, each with its interval, its count and its signature."""
