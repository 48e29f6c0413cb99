"""Text, drawings and pages over plain facts."""
