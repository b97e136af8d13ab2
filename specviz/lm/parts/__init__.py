"""What a pair may have beside its models: prediction heads, correlations, decision models."""
