"""Build the documentation site into build/site: `make docs`.

The pages of docs/, README.md and the files that they link to are copied to build/site-source, beside pages that are
generated here: the commands from their `--help`, the API from docstrings. Zensical then builds the copy strictly: a
broken link fails. Links may be written as they work in the repository, and nothing generated is stored in it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
NOT_PAGES = {"build_site.py", "doctest_blocks.py", "zensical.toml", "__pycache__"}
PAGES_OUTSIDE_DOCS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/PROVENANCE.md")
LINK = re.compile(r"(?P<file>\[[^\[\]\n]*\.md)?\]\((?!https?:|mailto:|#)(?P<target>[^)#\s]+)(?P<rest>[^)]*)\)")
"""A link within the repository, and its text if that is the name of a page."""
CODE_BLOCK = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)

API = {
    "gtopss": "The engine and what it takes and returns.",
    "ontology": "Taxonomies from RDFS, SKOS and OWL.",
    "gtopss.client": "The client of the HTTP service.",
    "gtopss.spark": "The same subscriptions on Spark.",
    "gtopss.net": "Downloads from strangers.",
    "gtopss.attributes": "The attribute-value systems of the earlier papers.",
}
"""Packages of the API reference. Each names its public names in `__all__`."""
API_NAMES = {
    "gtopss.broker": ("gtopss.broker.broker.Broker", "gtopss.broker.config.BrokerConfig"),
    "gtopss.reading": ("gtopss.reading.documents.read_document", "gtopss.reading.documents.read_publications"),
    "gtopss.errors": ("gtopss.errors",),
}
"""What is public of packages without such a list."""


def staged_path(path: Path) -> Path:
    """Return where a file of the repository is in the copy: docs/ becomes the root, and README.md its first page."""
    if path == ROOT / "README.md":
        return Path("index.md")
    return path.relative_to(DOCS) if path.is_relative_to(DOCS) else path.relative_to(ROOT)


def rewrite_links(text: str, page: Path, linked: set[Path]) -> str:
    """Return the text with its links as the copy needs them, and add the files that it links to."""

    def rewritten(match: re.Match[str]) -> str:
        target = (page.parent / match["target"]).resolve()
        if not target.is_relative_to(ROOT):
            return match[0]
        if target.is_file():
            linked.add(target)
        relative = os.path.relpath(staged_path(target), staged_path(page).parent)
        shown = f"[{title_of(target)}" if match["file"] else ""
        return f"{shown}]({relative}{match['rest']})"

    parts = CODE_BLOCK.split(text)
    return "".join(code_block(part) if part.startswith("```") else LINK.sub(rewritten, part) for part in parts)


def title_of(page: Path) -> str:
    """Return the first heading of a page. On the site it is shown in place of the name of the file."""
    return page.read_text().partition("# ")[2].partition("\n")[0]


def code_block(block: str) -> str:
    """Return a code block as the site shows it: diagrams as text, because their renderer is loaded from elsewhere."""
    return block.replace("```mermaid", "```text", 1)


def stage(source: Path) -> None:
    """Copy the pages and what they link to."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    files = [path for path in DOCS.rglob("*") if path.is_file() and not NOT_PAGES & set(path.relative_to(DOCS).parts)]
    files += [ROOT / name for name in PAGES_OUTSIDE_DOCS]
    linked: set[Path] = set()
    for path in files:
        target = source / staged_path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            target.write_text(rewrite_links(path.read_text(), path, linked))
        else:
            shutil.copy(path, target)
    for path in linked:
        target = source / staged_path(path)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)


def commands_page() -> str:
    """Return the reference of the command line, from the help of the commands."""
    from gtopss.cli.commands import app

    root = typer.main.get_command(app)
    lines = [
        "# Command line",
        "",
        "This page is generated from the help of the commands: `gtopss COMMAND --help` prints the same.",
        "",
    ]
    with root.make_context("gtopss", [], resilient_parsing=True) as context:
        for heading, command, inner in subcommands(root, context):
            lines += command_section(heading, command, inner)
    return "\n".join(lines)


def subcommands(group: Any, context: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the path, the command and the context of every command, depth first."""
    for name in group.list_commands(context):
        _, command, _ = group.resolve_command(context, [name])  # imports the command
        with command.make_context(name, [], parent=context, resilient_parsing=True) as inner:
            if hasattr(command, "list_commands"):
                yield from subcommands(command, inner)
            else:
                yield inner.command_path, command, inner


def command_section(heading: str, command: Any, context: Any) -> list[str]:
    """Return the lines of one command: its usage, its help and a table of its arguments and options."""
    usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split())
    lines = [f"## {heading}", "", "```", usage, "```", "", (command.help or "").replace("\b\n", ""), ""]
    records = [record for each in command.params if (record := each.get_help_record(context))]
    if records:
        lines += ["| option | meaning |", "|---|---|"]
        lines += [f"| `{cell(names)}` | {cell(text).replace('<', '&lt;')} |" for names, text in records]
    return [*lines, ""]


def cell(text: str) -> str:
    """Return a text for a cell of a table, without the place where this repository lies."""
    return " ".join(text.split()).replace(f"{ROOT}{os.sep}", "").replace("|", "\\|")


def api_page(package: str, intro: str) -> str:
    """Return the reference of a package: one directive for each public name, which the site fills from docstrings."""
    module = import_module(package)
    lines = [f"# {package}", "", intro, ""]
    for name in sorted(module.__all__, key=lambda name: (name != "Engine", name.isupper())):
        value = getattr(module, name)
        home = getattr(value, "__module__", None)
        documented = f"{home}.{value.__qualname__}" if home and hasattr(value, "__qualname__") else f"{package}.{name}"
        lines += [f"::: {documented}", ""]
    return "\n".join(lines)


def generate(source: Path) -> None:
    """Write the generated pages of the reference."""
    reference = source / "reference"
    reference.mkdir(exist_ok=True)
    (reference / "command-line.md").write_text(commands_page())
    for package, intro in API.items():
        (reference / f"{package}.md").write_text(api_page(package, intro))
    for package, names in API_NAMES.items():
        directives = "\n\n".join(f"::: {name}" for name in names)
        (reference / f"{package}.md").write_text(f"# {package}\n\n{directives}\n")


def main() -> None:
    """Build the site in the folder that is named, or in build/, and exit with the code of Zensical."""
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    stage(build / "site-source")
    generate(build / "site-source")
    (build / "zensical.toml").write_text((DOCS / "zensical.toml").read_text().replace("{root}", str(ROOT)))
    shutil.rmtree(build / "site", ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file", "zensical.toml"]
    sys.exit(subprocess.run(command, cwd=build, check=False).returncode)


if __name__ == "__main__":
    main()
