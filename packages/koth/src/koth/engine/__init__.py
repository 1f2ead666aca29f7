"""Matches in arrays: buffers of observations, settings, the secret behind all dice."""
