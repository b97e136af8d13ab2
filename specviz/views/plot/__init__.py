"""What every figure is drawn with: colours and glyphs, bars, marks, and figures as files."""
