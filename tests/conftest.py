"""Where the real images are, and how hard Hypothesis tries."""

import os
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "default",
    max_examples=100,
    deadline=None,
    # The same examples everywhere: a failure in continuous integration can be repeated at once.
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile("thorough", max_examples=2000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the real images; where it is absent tests are skipped, but never in CI."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("RANGEMOVES_DATA", beside))
    if not (folder / "middlebury").is_dir():
        reason = f"no test images in {folder}; set RANGEMOVES_DATA to the folder that has them"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
