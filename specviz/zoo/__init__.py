"""Build the embedded models: corpus, tokenizer, training, distillation, report. Nothing here runs when the app runs."""
