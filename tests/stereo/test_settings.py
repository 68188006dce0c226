"""The settings of stereo matching: the same names, defaults and words wherever they stand."""

import inspect
from dataclasses import MISSING, fields

import pytest

import rangemoves as rm
from rangemoves.stereo.settings import default_prior, settings

NAMES = [setting.name for setting in settings()]


def test_the_matcher_has_them_all_and_further_options():
    assert [field.name for field in fields(rm.stereo.StereoMatcher)] == [*NAMES, "options"]


def test_match_takes_them_with_the_same_defaults():
    arguments = inspect.signature(rm.stereo.match).parameters
    rest = {"left", "right", "callback", "mask", "disparity_range", "options"}
    assert [name for name in arguments if name not in rest] == NAMES
    for setting in settings():
        default = arguments[setting.name].default
        assert default == setting.default or (default, setting.default) == (
            inspect.Parameter.empty,
            MISSING,
        )


@pytest.mark.parametrize("thing", [rm.stereo.match, rm.stereo.StereoMatcher])
def test_each_is_explained(thing):
    text = " ".join(thing.__doc__.split())
    assert "{settings}" not in text
    for setting in settings():
        assert f" {setting.name} : " in text
        assert setting.doc in text


@pytest.mark.parametrize("name", ["stereo", "stereo-batch"])
def test_each_is_an_option_with_the_same_default(name):
    typer = pytest.importorskip("typer")
    from rangemoves.cli import app

    command = typer.main.get_command(app).commands[name]
    options = {option.name: option for option in command.params}
    for setting in settings():
        option = options[setting.name]
        if setting.name == "prior":
            assert setting.default is None
            assert rm.prior_by_name(option.default, 3) == default_prior(16)
        elif setting.name == "labels":
            assert option.default == 64
        else:
            assert option.default == setting.default
        if setting.name not in ("prior", "method"):
            assert option.help == setting.help
