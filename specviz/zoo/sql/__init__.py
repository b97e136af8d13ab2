"""The text-to-SQL task: questions with their gold queries, and judging by running them."""
