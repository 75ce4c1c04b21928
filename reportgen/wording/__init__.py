"""Put values, names, and lists into words."""
