"""Straight answers: a recorded match asked again, why a bot failed, whether what is on record was played."""
