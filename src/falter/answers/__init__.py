"""Reading free text as an answer."""
