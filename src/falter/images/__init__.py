"""Images: finding, opening, checking, obfuscating and thumbnailing them."""
