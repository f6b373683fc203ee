"""Every command and every option of the command line, as the program itself describes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

PROGRAM = "frugaltree"


class Option(NamedTuple):
    """An option or argument of a command.

    Attributes
    ----------
    names
        As they are typed, such as ``--costs`` and ``-c``; of an argument its name in capitals.
    help
        What it does.
    default
        What is taken where it is left out, or nothing.
    required
        Whether a command does not go without it.
    """

    names: tuple[str, ...]
    help: str
    default: str
    required: bool


class Command(NamedTuple):
    """A command: how it is called, what it does, what it takes."""

    name: str
    help: str
    options: tuple[Option, ...]


def commands() -> list[Command]:
    """Return the commands in the order of ``frugaltree --help``."""
    import typer

    from frugaltree.app.cli import app

    return list(_walk(typer.main.get_command(app), PROGRAM))


def _walk(command: Any, name: str) -> Iterator[Command]:
    inside = getattr(command, "commands", {})
    if not inside or command.params:
        shown = [one for one in command.params if not getattr(one, "hidden", False)]
        text = command.help if not inside else f"{command.help} The command as a whole."
        yield Command(name, _plain(text), tuple(map(_describe, shown)))
    for key, part in inside.items():
        if not part.hidden:
            yield from _walk(part, f"{name} {key}")


def _describe(parameter: Any) -> Option:
    argument = parameter.param_type_name == "argument"
    names = [parameter.name.upper()] if argument else [*parameter.opts, *parameter.secondary_opts]
    default = parameter.default
    told = "" if default in (None, False, True, (), []) or callable(default) else str(default)
    return Option(tuple(names), _plain(parameter.help), told, parameter.required)


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


def describe() -> str:
    """Return all of it as Markdown."""
    return "\n\n".join(_section(command) for command in commands())


def _section(command: Command) -> str:
    lines = [f"## `{command.name}`", "", command.help]
    for option in command.options:
        names = ", ".join(f"`{name}`" for name in option.names)
        text = option.help
        text += " Needed." if option.required else ""
        text += f" Default: `{option.default}`." if option.default else ""
        lines += ["", names, f": {text}"]
    return "\n".join(lines)
