"""Charts of the Lab."""
