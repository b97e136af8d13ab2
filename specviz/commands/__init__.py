"""What the command line needs: arguments generated from the catalog, and things shown in a terminal."""
