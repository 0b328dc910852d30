"""The README's first ten minutes with the service, run as they are written, on free ports and with a small ontology."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

DEADLINE_SECONDS = 900
"""The first start compiles the matching loops, which may take minutes on a busy machine."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.slow
def test_the_first_ten_minutes_of_the_readme(tmp_path: Path) -> None:
    steps = re.findall(r"```shell\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(steps) == 3
    script = "\n".join(steps)
    for port in ("8080", "9000"):
        script = script.replace(port, str(free_port()))
    port = re.findall(r"127\.0\.0\.1:(\d+)/readyz", script)[0]
    (tmp_path / "small.ttl").write_text("<urn:Thing> a <http://www.w3.org/2000/01/rdf-schema#Class> .")
    script = script.replace("gtopss serve ", f"gtopss serve --port {port} --no-examples -o small.ttl ")
    python = shlex.quote(sys.executable)
    functions = f'gtopss() {{ {python} -m gtopss "$@"; }}\nset -e\n'
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "GTOPSS_URL": f"http://127.0.0.1:{port}",
        "PYTHONPATH": str(ROOT),
    }
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen(
            ["bash", "-c", functions + script],
            cwd=tmp_path,
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout=DEADLINE_SECONDS)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    said = (tmp_path / "out").read_text() + (tmp_path / "serve.log").read_text()
    shown = (tmp_path / "out").read_text()
    assert process.returncode == 0, said
    assert "gtopss renew " in shown, said
    assert re.search(r"data: .*My vaccine item", shown, re.MULTILINE), said
    assert re.search(r"^   1  My vaccine item$", shown, re.MULTILINE), said
    assert "<feed" in shown, said
    assert "This subscription has expired" in shown, said
    assert "webhook: verification" in shown, said
    assert "webhook: match My vaccine item" in shown, said
