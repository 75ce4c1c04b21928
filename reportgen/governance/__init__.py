"""The review of a report: packets, attestations, and verification."""
