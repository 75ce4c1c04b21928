"""Run simulation studies from the literature, which also answer planning questions in your own design."""


def questions() -> dict[str, str]:
    """Return the question that each study answers, by its name."""
    from reportgen.studies.study import STUDIES  # the commands list the studies before anything is simulated

    return {name: told["question"] for name, told in STUDIES.items()}
