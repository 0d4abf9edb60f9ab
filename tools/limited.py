"""A program and all that it begins, ended when it takes too long: what tools here run programs of others with."""
import os
import resource
import signal
import subprocess
import tempfile


def run(command, cwd, limit, env=None):
    """(exit status or None, output, seconds of the processors)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                             start_new_session=True, env=env)
        try:
            status = p.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
            status = None
        out.seek(0)
        text = out.read().decode(errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
