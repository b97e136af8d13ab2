"""Classes: rooms with a code that follow a teacher's page, and the routes that they speak by."""
