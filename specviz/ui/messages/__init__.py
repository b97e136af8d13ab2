"""What goes between the server and the page's islands: their setups, the messages of races and drafts, the answers.

The scripts' types are made from these classes (``specviz/views/story/payload_types.py`` says how).
"""
