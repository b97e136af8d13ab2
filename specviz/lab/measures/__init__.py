"""What is measured apart from whole decoders: single calls, busy neighbours, vocabularies, prompts, draft lengths."""
