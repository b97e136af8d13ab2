"""The record of a run and its file format."""
