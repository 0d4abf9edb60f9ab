"""A program and all that it begins, ended when it takes too long: what tools here run programs of others with."""
import os
import signal
import subprocess
import tempfile
import time

LOOKS_A_SECOND = 50


def wait(process, limit):
    """(exit status, seconds of the processors) of a process and those that it has waited for; (None, 0.0) when it goes
    on. Its own, whatever else runs at the same time."""
    end = time.time() + limit
    while time.time() < end:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used.ru_utime + used.ru_stime
        time.sleep(1 / LOOKS_A_SECOND)
    return None, 0.0


def run(command, cwd, limit, env=None):
    """(exit status or None, output, seconds of the processors)"""
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                             start_new_session=True, env=env)
        status, seconds = wait(p, limit)
        if status is None:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
        out.seek(0)
        text = out.read().decode(errors="replace")
    return status, text, seconds
