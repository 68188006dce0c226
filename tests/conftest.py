"""Where the real images are, how hard Hypothesis tries, Ctrl-C, and a real browser."""

import os
import shutil
import signal
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


def pytest_sessionstart():
    """Let Ctrl-C arrive, here and in every process that a test starts.

    A shell that is not interactive starts what runs in its background with SIGINT ignored.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


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


@pytest.fixture(scope="session")
def browser():
    """A headless browser; where there is none tests are skipped, but never in CI."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    playwright = pytest.importorskip("playwright.sync_api")
    if chromium is None:
        reason = "no chromium on this machine; install the package chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with playwright.sync_playwright() as driver:
        instance = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield instance
        instance.close()


@pytest.fixture
def open_page(browser):
    """Open a file without a network; its ``faults`` are console messages, errors and requests."""
    contexts = []

    def open_file(path: Path):
        context = browser.new_context(viewport={"width": 1000, "height": 800}, offline=True)
        contexts.append(context)
        opened = context.new_page()
        opened.set_default_timeout(5000)
        opened.faults = []
        opened.on("console", lambda message: opened.faults.append(message.text))
        opened.on("pageerror", lambda error: opened.faults.append(str(error)))
        opened.on(
            "request",
            lambda request: (
                opened.faults.append(request.url) if request.url.startswith("http") else None
            ),
        )
        opened.goto(path.as_uri())
        return opened

    yield open_file
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def broken_images():
    """Script that counts the pictures which a page could not show."""
    return "Array.from(document.images).filter(i => !i.complete || i.naturalWidth == 0).length"
