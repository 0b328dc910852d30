"""The files of docs/operate.md: the tools that read them accept them, where they are installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT


def written(language: str) -> str:
    """Return the only file of a language on the page."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / "operate.md").read_text(), re.DOTALL)
    return str(found)


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("systemd-analyze is not installed, so the unit is not verified")
    unit = tmp_path / "gtopss.service"
    unit.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", written("ini"), flags=re.MULTILINE))
    done = subprocess.run([tool, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False)
    if "Failed to" in done.stderr and unit.name not in done.stderr:
        pytest.skip(f"systemd-analyze does not work here: {done.stderr.splitlines()[0]}")
    assert (done.returncode, done.stderr) == (0, "")


def test_nginx_accepts_the_location(tmp_path: Path) -> None:
    tool = shutil.which("nginx")
    if tool is None:
        pytest.skip("nginx is not installed, so the location is not verified")
    folders = "".join(
        f"{name}_temp_path {tmp_path / name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = tmp_path / "nginx.conf"
    server = f"server {{\nlisten 127.0.0.1:8999;\n{written('nginx')}}}\n"
    configuration.write_text(f"events {{}}\nhttp {{\naccess_log off;\n{folders}{server}}}\n")
    command = [tool, "-t", "-p", str(tmp_path), "-c", str(configuration), "-g", f"pid {tmp_path / 'pid'};"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_container_file_follows_the_rules() -> None:
    text = written("dockerfile").replace("\\\n", " ")
    lines = [line.partition(" ")[::2] for line in text.splitlines() if line.strip()]
    names = [name for name, _ in lines]
    arguments = dict(lines)  # of names that occur several times, the last
    assert set(names) <= {"FROM", "RUN", "COPY", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT"}
    assert re.fullmatch(r"[\w./-]+:(?!latest)[\w.-]+", arguments["FROM"])
    assert arguments["USER"] not in ("root", "0")
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert re.search(r"CMD curl -fsS http://127\.0\.0\.1:8080/healthz \|\| exit 1$", arguments["HEALTHCHECK"])
    assert re.fullmatch(r'\["[^\[\]]+"\]', arguments["ENTRYPOINT"])
    for name, command in lines:
        if name == "RUN" and "apt-get install" in command:
            assert "--no-install-recommends" in command
            assert " -y " in command
            assert "apt-get update" in command
            assert "rm -rf /var/lib/apt/lists/*" in command
        if name == "RUN":
            assert "sudo" not in command
            assert "pip install" not in command or "--no-cache-dir" in command
    for option in re.findall(r"--[a-z-]+", arguments["ENTRYPOINT"]):
        assert option in (ROOT / "docs" / "http.md").read_text()
