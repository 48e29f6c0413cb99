"""What `halidehw demo` shows: filters over a photograph, and digits through a trained network."""
