"""Many clients of many servers through two replicas of `tersely mcp serve` and one Valkey, one of which is killed halfway.

    python3 scale.py --tersely PATH [--seconds 600] [--clients 2000] [--direct]

Servers and Valkey are real; the clients are scripted (`scale_client.py`), because two thousand real ones do not fit on a machine. Of the clients, 2 % call
20 commands and the rest 180 servers that listen; half of those speak 2026-07-28, the others 2025-11-25 or 2025-06-18 with sessions. `--direct` is the same load
without Tersely. Exits with 1 if a message was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from install import CACHE
from scale_client import STATELESS, Client, PipedClient, Tally

HERE = Path(__file__).resolve().parent
PYTHON = CACHE / "client" / "bin" / "python"
LISTENING, PROCESSES, COMMANDS = 180, 4, 20


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def reachable(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(ports: list[int]) -> None:
    """Wait until somebody listens on all of these."""
    until = time.time() + 120
    while not all(reachable(port) for port in ports):
        if time.time() > until:
            raise SystemExit("servers did not start")
        time.sleep(0.2)


class Scene:
    """Everything that runs beside the clients."""

    def __init__(self, tersely: str, folder: Path) -> None:
        self.tersely, self.folder = tersely, folder
        self.processes: list[subprocess.Popen] = []
        self.ports = [free_port() for _ in range(PROCESSES)]
        self.replicas: dict[int, subprocess.Popen] = {}

    def start(self, *command: object, **more: object) -> subprocess.Popen:
        self.processes.append(subprocess.Popen([str(word) for word in command], **more))
        return self.processes[-1]

    def servers(self) -> None:
        for port in self.ports:
            self.start(PYTHON, HERE / "scale_servers.py", "--port", port, "--count", LISTENING // PROCESSES)
        wait_for(self.ports)

    def listening(self, number: int) -> tuple[int, str]:
        """Port and path of a server that listens."""
        return self.ports[number % PROCESSES], f"/{number // PROCESSES}/mcp"

    def command(self) -> list[str]:
        return [str(PYTHON), str(HERE / "scale_servers.py"), "--stdio"]

    def gateway(self) -> list[int]:
        """Valkey and two replicas; the ports of the latter."""
        from_store = HERE.parent.parent / "crates" / "store" / "tests" / "valkey" / "install.py"
        valkey = subprocess.run([sys.executable, from_store], check=True, capture_output=True, text=True).stdout.strip()
        store = free_port()
        self.start(valkey, "--port", store, "--bind", "127.0.0.1", "--save", "", "--dir", self.folder, stdout=subprocess.DEVNULL)
        lines = []
        for number in range(LISTENING):
            port, path = self.listening(number)
            lines.append(f'[mcp.servers.far{number}]\nurl = "http://127.0.0.1:{port}{path}"')
        lines += [f"[mcp.servers.near{number}]\ncommand = {json.dumps(self.command())}" for number in range(COMMANDS)]
        lines.append(f'[store]\naddresses = ["redis://127.0.0.1:{store}"]\nsecret = "{os.urandom(32).hex()}"\ndeadline = "2s"')
        (self.folder / "tersely.toml").write_text("\n".join(lines))
        wait_for([store])
        ports = [free_port(), free_port()]
        for port in ports:
            self.replica(port)
        wait_for(ports)
        return ports

    def replica(self, port: int) -> None:
        command = [self.tersely, "mcp", "serve", "--config", self.folder / "tersely.toml", "--listen", f"127.0.0.1:{port}"]
        self.replicas[port] = self.start(*command, stderr=(self.folder / f"{port}.log").open("a"))

    def end(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def memory(pid: int) -> float:
    """Resident megabytes of a process."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0)


async def watch(scene: Scene, ports: list[int], begun: float, seconds: float, samples: list) -> None:
    """Samples memory; kills a replica halfway, and starts it again a tenth later."""
    victim, has_died, has_risen = ports[1], False, False
    while (now := time.time() - begun) < seconds:
        samples.append((now, *(memory(scene.replicas[port].pid) for port in ports)))
        if now > seconds / 2 and not has_died:
            has_died = True
            scene.replicas[victim].send_signal(signal.SIGKILL)
            scene.replicas[victim].wait()
            print(f"{now:.0f} s: one replica was killed", flush=True)
        if now > seconds * 0.6 and not has_risen:
            has_risen = True
            scene.replica(victim)
            print(f"{now:.0f} s: it was started again", flush=True)
        await asyncio.sleep(5)


def clients(scene: Scene, ports: list[int], count: int, tally: Tally) -> list[Client]:
    """Two in a hundred for the commands, the rest for the servers that listen, of three revisions."""
    made: list[Client] = []
    for number in range(count):
        revision = STATELESS if number % 2 else ("2025-11-25" if number % 4 else "2025-06-18")
        if number % 50 == 0:
            near = (number // 50) % COMMANDS
            if ports:
                client = Client(number, [("127.0.0.1", port) for port in ports], f"/mcp/near{near}", "2025-11-25", tally)
                client.is_sticky = True
            else:
                client = PipedClient(number, [("", 0)], "", "2025-11-25", tally)
                client.command = scene.command()
        else:
            port, path = scene.listening(number % LISTENING)
            places = [("127.0.0.1", port) for port in ports] or [("127.0.0.1", port)]
            client = Client(number, places, f"/mcp/far{number % LISTENING}" if ports else path, revision, tally)
        made.append(client)
    return made


def percentiles(times: list[float]) -> str:
    ordered = sorted(times)
    at = lambda share: ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000  # noqa: E731
    return f"p50 {at(0.5):.0f} ms, p95 {at(0.95):.0f} ms, p99 {at(0.99):.0f} ms"


def report(tally: Tally, samples: list, seconds: float) -> None:
    for name, count in sorted(tally.counts.items()):
        print(f"{name}: {count:,}")
    for size in sorted({size for size, _ in tally.times}):
        times = [took for of, took in tally.times if of == size]
        print(f"{size:,} bytes: {len(times):,} calls, {percentiles(times)}")
    for fault, count in tally.faults.most_common(12):
        print(f"  {count} x {fault}")
    every = max(1, len(samples) // 20)
    for replica in (1, 2) if samples else ():
        print(f"replica {replica}, MB: " + " ".join(f"{sample[replica]:.0f}" for sample in samples[::every]))
        for first, last in ((0.2, 0.5), (0.6, 0.8), (0.8, 1.0)):
            some = [sample[replica] for sample in samples if first * seconds <= sample[0] < last * seconds and sample[replica]]
            if some:
                print(f"replica {replica}, {first * seconds:.0f} to {last * seconds:.0f} s: median {statistics.median(some):.0f} MB, most {max(some):.0f} MB")


async def run(scene: Scene, given: argparse.Namespace) -> Tally:
    ports = [] if given.direct else scene.gateway()
    tally, samples, begun = Tally(), [], time.time()
    everybody = clients(scene, ports, given.clients, tally)
    tasks = [asyncio.create_task(client.live(begun + given.seconds, given.think)) for client in everybody]
    if ports:
        tasks.append(asyncio.create_task(watch(scene, ports, begun, given.seconds, samples)))
    await asyncio.gather(*tasks)
    report(tally, samples, given.seconds)
    return tally


def main() -> int:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--tersely", default="tersely")
    args.add_argument("--seconds", type=float, default=600)
    args.add_argument("--clients", type=int, default=2000)
    args.add_argument("--think", type=float, default=30, help="seconds between the calls of a client, on average")
    args.add_argument("--direct", action="store_true")
    given = args.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(given.tersely, Path(folder))
        try:
            scene.servers()
            tally = asyncio.run(run(scene, given))
        finally:
            scene.end()
    return 1 if tally.counts["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
