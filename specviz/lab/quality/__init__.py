"""How good texts are: scores against answers, and questions that have them."""
