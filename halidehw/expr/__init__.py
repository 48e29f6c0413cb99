"""The ground: types, expressions and their arithmetic. No tensors, no schedules."""
