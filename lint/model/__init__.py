"""What rules look at: launches, their settings with values and places, and the edits on them."""
