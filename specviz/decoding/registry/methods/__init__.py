"""Every method, a family a file: what pairs with what, its options, its guarantee and its texts."""
