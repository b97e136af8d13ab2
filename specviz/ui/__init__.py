"""The page: Gradio around our own scripts. It checks a visitor's request, runs it and passes the traces to the
views."""
