"""Commands run within the test process, and what they are run on."""

import re

import rangemoves as rm

PAIR = rm.datasets.synthetic_stereo(seed=1, shape=(40, 60), labels=12)


def invoke(*arguments):
    """Run ``rangemoves`` with these arguments; what it printed and its exit code."""
    from typer.testing import CliRunner

    from rangemoves.cli import app

    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def unframed(text):
    """A message without the frame around it and without its line breaks."""
    return re.sub(r"[\s│]+", " ", text)
