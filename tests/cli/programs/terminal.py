"""A terminal for progress.sh: runs a command on one, and knows what is to be seen there.

usage: terminal.py ROWSxCOLUMNS [--raw] [--send SECONDS:KEYS] [--kill SECONDS:SIGNAL] -- COMMAND...
Prints what the terminal showed at the end, lines that have scrolled away first; then a line "----", and each text that
was in the last row while that was set aside, once; then "----", and whether it was so at the end, or when a bell rang.
Understands the sequences of cli/output/status_line.c, and fails at any other."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import tty


class Terminal:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.screen = [[" "] * columns for _ in range(rows)]
        self.gone, self.status, self.bells, self.pending = [], [], [], ""
        self.row = self.column = 0
        self.bottom = rows - 1
        self.saved = (0, 0)

    def down(self):
        if self.row == self.bottom:
            self.gone.append("".join(self.screen[0]).rstrip())
            del self.screen[0]
            self.screen.insert(self.bottom, [" "] * self.columns)
        elif self.row < self.rows - 1:
            self.row += 1

    def put(self, letter):
        if self.column == self.columns:
            self.column = 0
            self.down()
        self.screen[self.row][self.column] = letter
        self.column += 1

    def sequence(self, final, numbers):
        if final == "r":
            self.bottom = (numbers[1] if numbers else self.rows) - 1
            self.row = self.column = 0
        elif final == "H":
            self.row, self.column = numbers[0] - 1, numbers[1] - 1
        elif final == "A":
            self.row = max(0, self.row - 1)
        elif final == "K" and numbers == [2]:
            self.screen[self.row] = [" "] * self.columns
        else:
            sys.exit(f"terminal.py: unknown sequence {numbers} {final}")

    def write(self, text):
        text = self.pending + text
        self.pending = ""
        while text:
            known = re.match(r"\x1b(?:([78D])|\[([0-9;]*)([A-Za-z]))", text)
            if not known and text[0] == "\x1b" and len(text) < 12:
                self.pending = text
                return
            if known and known[1] == "7":
                self.saved = (self.row, self.column)
            elif known and known[1] == "8":
                self.row, self.column = self.saved
                self.look()
            elif known and known[1] == "D":
                self.down()
            elif known:
                self.sequence(known[3], [int(n) for n in known[2].split(";") if n])
            elif text[0] == "\n":
                self.down()
            elif text[0] == "\a":
                self.bells.append(self.is_set_aside())
            elif text[0] == "\r":
                self.column = 0
            else:
                self.put(text[0])
            text = text[known.end() if known else 1:]

    def is_set_aside(self):
        return self.bottom < self.rows - 1

    def look(self):
        last = "".join(self.screen[-1]).rstrip()
        if self.is_set_aside() and last and last not in self.status:
            self.status.append(last)


def main():
    words = sys.argv[1:]
    rows, columns = map(int, words.pop(0).split("x"))
    is_raw, acts = False, []
    while words[0] != "--":
        option = words.pop(0)
        if option == "--raw":
            is_raw = True
        else:
            seconds, what = words.pop(0).split(":")
            acts.append((float(seconds), option, what))
    screen, ready = Terminal(rows, columns), os.pipe()
    child, master = pty.fork()
    if child == 0:
        os.read(ready[0], 1)
        os.execvp(words[1], words[1:])
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    if is_raw:
        tty.setcbreak(master)
    os.write(ready[1], b"x")
    began = time.time()
    while True:
        while acts and time.time() - began > acts[0][0]:
            _, option, what = acts.pop(0)
            if option == "--send":
                os.write(master, what.encode().decode("unicode_escape").encode())
            else:
                children = open(f"/proc/{child}/task/{child}/children").read().split()
                os.kill(int(children[0]), getattr(signal, what))
        if not select.select([master], [], [], 0.05)[0]:
            continue
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        screen.write(data.decode())
    status = os.waitpid(child, 0)[1]
    print("\n".join(screen.gone + ["".join(line).rstrip() for line in screen.screen]).rstrip("\n"))
    print("----", *screen.status, "----", sep="\n")
    if screen.is_set_aside() or any(screen.bells):
        print("the row is set aside")
    sys.exit(os.waitstatus_to_exitcode(status) & 255)


main()
