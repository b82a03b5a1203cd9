"""The files of `deploy/` agree with the settings, the locks and each other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.heartbeat import EVERY_SECONDS, NAME
from bot.settings import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())


def compose(name: str = "compose.yaml") -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))
    return read


def manifests() -> dict[str, dict[str, Any]]:
    documents = [
        one for path in KUBERNETES.glob("*.yaml") for one in yaml.safe_load_all(path.read_text(encoding="utf-8"))
    ]
    return {one["kind"]: one for one in documents}


def pod() -> dict[str, Any]:
    spec: dict[str, Any] = manifests()["Deployment"]["spec"]["template"]["spec"]
    return spec


def locked(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    return dict(re.findall(r"(?m)^([\w.-]+)(?:\[\w+\])?==(\S+)", text))


@pytest.mark.parametrize("path", [*FILES, ROOT / "docs" / "deployment.md"], ids=lambda path: path.name)
def test_every_setting_named_there_is_one(path: Path) -> None:
    named = set(re.findall(rf"\b{PREFIX}([A-Z_]*[A-Z])\b", path.read_text(encoding="utf-8")))
    assert {name.lower() for name in named} <= set(Settings.model_fields)


def test_an_unfilled_environment_is_no_error() -> None:
    lines = (DEPLOY / "env.example").read_text(encoding="utf-8").splitlines()
    values = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert Settings.load(environment=values) == Settings()


def test_the_image_has_every_package_and_no_rights() -> None:
    packages = [one.removesuffix("*") for one in PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]]
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for name in packages:
        assert f"COPY {name} {name}" in DOCKERFILE
        assert f"!{name}" in ignored
    assert "--require-hashes" in DOCKERFILE
    assert re.search(r"(?m)^USER 10001:10001$", DOCKERFILE)


def test_all_versions_are_pinned_and_the_image_is_that_of_this_version() -> None:
    version = PROJECT["project"]["version"]
    images = {
        name: one["image"]
        for file in ("compose.yaml", "compose.servers.yaml")
        for name, one in compose(file)["services"].items()
        if "image" in one
    }
    assert images["refdesk"] == f"refdesk:{version}"
    assert manifests()["Kustomization"]["images"][0]["newTag"] == version
    assert all(re.search(r":v?\d", image) for image in images.values())
    assert locked("base.txt").items() <= locked("postgres.txt").items()
    client = locked("postgres.txt")["qdrant-client"]
    assert images["qdrant"].split(":v")[1].split(".")[:2] == client.split(".")[:2]


def test_answers_under_way_are_finished_before_the_end() -> None:
    drain = Settings().drain_seconds
    assert int(compose()["services"]["refdesk"]["stop_grace_period"].removesuffix("s")) > drain
    assert pod()["terminationGracePeriodSeconds"] > drain


def test_the_pulse_is_read_where_it_beats() -> None:
    (container,) = pod()["containers"]
    for said in (
        DOCKERFILE,
        container["startupProbe"]["exec"]["command"][-1],
        container["livenessProbe"]["exec"]["command"][-1],
    ):
        found = re.search(rf"stat -c %Y /data/{NAME}\)\)\) -lt (\d+)", said)
        assert found
        assert int(found[1]) > 3 * EVERY_SECONDS


def test_what_runs_has_no_rights_and_a_read_only_root() -> None:
    service, (container,) = compose()["services"]["refdesk"], pod()["containers"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert pod()["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert {"/data", "/knowledge", "/tmp"} == {one["mountPath"] for one in container["volumeMounts"]}


def test_every_manifest_is_listed() -> None:
    listed = set(manifests()["Kustomization"]["resources"])
    assert listed == {path.name for path in KUBERNETES.glob("*.yaml")} - {"kustomization.yaml"}
