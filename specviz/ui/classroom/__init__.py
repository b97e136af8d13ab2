"""Classes: rooms that follow a teacher's page and are joined by a code, and their routes."""
