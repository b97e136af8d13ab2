"""A recorded iteration judged again, from the record alone."""
