"""A ledger that survives its process (X7.7): a child process that appends each claim to a file,
flushes it to the disk, and only then says yes."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

from . import grant

PACKAGE = pathlib.Path(__file__).resolve().parent.parent


class Durable:
    """The parent's side."""

    def __init__(self, capacity=None, margin_s=None):
        self.directory = tempfile.TemporaryDirectory(prefix="wicketgate-ledger-")
        self.limits, self.lock, self.child = [capacity, margin_s], threading.Lock(), None
        self.open()

    def open(self):
        self.child = subprocess.Popen(
            [sys.executable, "-c", "from guard import durable; durable.main()",
             os.path.join(self.directory.name, "claims"), json.dumps(self.limits)],
            cwd=PACKAGE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="ascii")

    def claim(self, grant_id, expires_s, now_ms):
        with self.lock:
            try:
                self.child.stdin.write(json.dumps([grant_id, expires_s, now_ms]) + "\n")
                self.child.stdin.flush()
                return json.loads(self.child.stdout.readline())
            except (OSError, ValueError):
                raise grant.StoreDown("STORE_DOWN") from None

    def close(self, crash=False):
        with self.lock:
            if crash:
                self.child.kill()
            self.child.stdin.close()
            self.child.wait()
            self.child.stdout.close()


def main():
    path, (capacity, margin_s) = sys.argv[1], json.loads(sys.argv[2])
    ledger = grant.Ledger(capacity, margin_s)
    with open(path, "a+", encoding="ascii") as file:
        file.seek(0)
        for line in file:
            if line.endswith("\n"):  # else the crash came before the answer
                ledger.claim(*json.loads(line))
        for line in sys.stdin:
            claimed = ledger.claim(*json.loads(line))
            if claimed:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            print(json.dumps(claimed), flush=True)
