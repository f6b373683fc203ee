"""What several tests use: random problems, tables, models, and small learners."""
