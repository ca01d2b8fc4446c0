"""VALSE: captions against minimally different foils."""
