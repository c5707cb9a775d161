"""What only several launches or several files show of a job."""
