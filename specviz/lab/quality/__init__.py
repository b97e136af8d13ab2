"""How good texts are: scores against answers, questions that have them, and quality against likelihood and speed."""
