"""datasketch's own tests, run against `lookalike.compat.datasketch`. They are downloaded and not part of this repository."""
