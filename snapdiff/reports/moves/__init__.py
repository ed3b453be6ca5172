"""What happened to each package of a tag, in the words and classes that people read."""
