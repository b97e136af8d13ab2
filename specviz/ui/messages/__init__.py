"""Messages between the server and the page's islands: setups, the progress of races and drafts, answers.

The scripts' types are made from these classes (``specviz/views/story/payload_types.py`` says how).
"""
