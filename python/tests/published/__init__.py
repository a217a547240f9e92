"""datasketch's own tests, run against `lookalike.compat.datasketch`. They are downloaded, none of them is here."""
