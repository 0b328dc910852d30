"""The README's first ten minutes with the service, run as they are written, on free ports and with a small ontology."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.free_ports import free_port
from support.page_blocks import code_blocks, run_shell


@pytest.mark.slow
def test_the_first_ten_minutes_of_the_readme(tmp_path: Path) -> None:
    steps = code_blocks("README.md", "shell")
    assert len(steps) == 4
    script = "\n".join(steps)
    for port in ("8080", "9000"):
        script = script.replace(port, str(free_port()))
    port = re.findall(r"127\.0\.0\.1:(\d+)/readyz", script)[0]
    (tmp_path / "small.ttl").write_text("<urn:Thing> a <http://www.w3.org/2000/01/rdf-schema#Class> .")
    script = script.replace("gtopss serve ", f"gtopss serve --port {port} --no-examples -o small.ttl ")
    done = run_shell(script, tmp_path, {"GTOPSS_URL": f"http://127.0.0.1:{port}"})
    shown = done.stdout
    said = shown + (tmp_path / "serve.log").read_text()
    assert done.returncode == 0, said
    assert "gtopss renew " in shown, said
    assert re.search(r"data: .*My vaccine item", shown, re.MULTILINE), said
    assert re.search(r"^   1  My vaccine item$", shown, re.MULTILINE), said
    assert "<feed" in shown, said
    assert "This subscription has expired" in shown, said
    assert "webhook: verification" in shown, said
    assert "webhook: match My vaccine item" in shown, said
    assert re.search(r"^31 .* matches urn:", shown, re.MULTILINE), said
    assert "webhook: match urn:gtopss:document:" in shown, said
