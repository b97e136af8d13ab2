"""Trace in, figure or plain text out. Views read nothing but traces and choose their drawing by the decision's rule."""
