"""Sessions that a CI job runs."""

import nox

nox.options.default_venv_backend = "none"
HERE = "../python"


@nox.session
def style(session: nox.Session) -> None:
    session.run("ruff", "check", "--no-cache", "--select", "E,F,B,D,ANN", f"{HERE}/ledger", external=True)


@nox.session
@nox.parametrize("pick", ["added", "mix", "written", "exchanged"])
def tests(session: nox.Session, pick: str) -> None:
    session.chdir(HERE)
    session.run("python", "-m", "pytest", "-p", "no:cacheprovider", "-k", pick, "--color=no", external=True)


@nox.session
def types(session: nox.Session) -> None:
    session.run("mypy", "--strict", "--cache-dir", "/dev/null", HERE + "/ledger", external=True)
