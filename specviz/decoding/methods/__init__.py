"""Every method, a family a file: what pairs with what, its options, its law and its texts."""
