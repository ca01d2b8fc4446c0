"""Image files: found, opened, checked, hashed, obfuscated, blanked and thumbnailed here alone."""
