"""The mergeable sufficient statistics: one pass over the scores, then algebra."""
