"""Bots whose garbage collectors run after each answer are charged what their own processes' clocks say.

    python benchmarks/collectors.py [QUESTIONS]

Bots in Java, JavaScript and Go fill and drop lists for 20 to 80 ms in each of 200 questions, and start a collection
after each answer, which goes on into the next question. Printed are what a question is charged, and what the bot
measured itself, on average (a JVM's clock has ticks of 10 ms), alone and beside neighbours: a collector takes more of
a processor on a busy machine.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import mean, median

import machine
from clocks import GAME, Settings, install, neighbours

from koth.contest.preflight import build
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.game import TimeControl
from koth.match import Hosting, play
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose_level

FILES = {
    "Java": ("Main.java", """
import java.util.*;
public class Main {
    static long cpu() {
        var system = java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        return ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime();
    }
    static long keep;
    static void work() {
        for (int round = 0; round < 150; round++) {
            List<long[]> lists = new ArrayList<>();
            for (int i = 0; i < 2000; i++) { long[] list = new long[40]; list[i % 40] = i; lists.add(list); }
            for (long[] list : lists) for (long one : list) keep += one;
        }
    }
    public static void main(String[] words) {
        Scanner in = new Scanner(System.in);
        in.nextLine();
        System.out.println("{\\"ready\\": true}");
        int number = 0;
        while (in.hasNextLine()) {
            if (in.nextLine().startsWith("{\\"bye\\"")) return;
            long begun = cpu();
            work();
            System.err.println("used " + (cpu() - begun));
            System.out.println("{\\"ask\\": " + ++number + ", \\"action\\": \\"done\\"}");
            System.out.flush();
            System.gc();
        }
    }
}
"""),
    "JavaScript": ("bot.js", """
require("v8").setFlagsFromString("--expose-gc");
const gc = require("vm").runInNewContext("gc");
let number = 0, keep = 0;
function work() {
    for (let round = 0; round < 60; round++) {
        const lists = [];
        for (let i = 0; i < 2000; i++) lists.push(Array.from({length: 10}, (_, k) => k + i));
        for (const list of lists) for (const one of list) keep += one;
    }
}
require("readline").createInterface({input: process.stdin}).on("line", line => {
    if (line.startsWith('{"hello"')) return process.stdout.write('{"ready": true}\\n');
    if (line.startsWith('{"bye"')) process.exit();
    const begun = process.cpuUsage();
    work();
    const {user, system} = process.cpuUsage(begun);
    require("fs").writeSync(2, `used ${1000 * (user + system)}\\n`);
    process.stdout.write(`{"ask": ${++number}, "action": "done"}\\n`, () => gc());
});
"""),
    "Go": ("main.go", """
package main
import ("bufio"; "fmt"; "os"; "runtime"; "strings"; "syscall")
var keep int
func cpu() int64 {
    var used syscall.Rusage
    syscall.Getrusage(0, &used)
    return used.Utime.Nano() + used.Stime.Nano()
}
func work() {
    for round := 0; round < 120; round++ {
        lists := [][]int{}
        for i := 0; i < 2000; i++ { list := make([]int, 40); list[i % 40] = i; lists = append(lists, list) }
        for _, list := range lists { for _, one := range list { keep += one } }
    }
}
func main() {
    in := bufio.NewReader(os.Stdin)
    in.ReadString('\\n')
    fmt.Println("{\\"ready\\": true}")
    for number := 1; ; number++ {
        line, err := in.ReadString('\\n')
        if err != nil || strings.HasPrefix(line, "{\\"bye\\"") { return }
        begun := cpu()
        work()
        fmt.Fprintf(os.Stderr, "used %d\\n", cpu() - begun)
        fmt.Printf("{\\"ask\\": %d, \\"action\\": \\"done\\"}\\n", number)
        runtime.GC()
    }
}
"""),
}  # fmt: skip

WARM = 20
"""The first questions of a match, which do not count."""


def ask(folder: Path, isolation: Isolation, questions: int) -> str:
    """Play a match of one bot; return its charges and its own measurements in words."""
    bot, problem = build(load_bot(GAME, folder, Interpreters(), folder.name, isolation), folder.parent, isolation)
    if problem:
        raise SystemExit(f"{folder.name}: {problem}")
    times = TimeControl(start=120, question=60, lateness=600)
    result = play(GAME, Settings((1,) * questions), [bot], 7, Hosting(time_control=times, isolation=isolation))
    report = result.records[bot.name]
    if report.faults:
        raise SystemExit(f"{folder.name}: {report.fault_reports}\n{report.stderr.decode()[-2000:]}")
    charged = [1000 * cost.charged for _, cost in report.times][WARM:]
    own = [int(line.split()[1]) / 1e6 for line in report.stderr.decode().splitlines() if line.startswith("used ")]
    return f"median {median(charged):.2f}, mean {mean(charged):.2f} ms (its own clock: {mean(own[WARM:]):.2f})"


def main() -> None:
    questions = int(sys.argv[1]) if sys.argv[1:] else 200
    isolation = choose_level()
    print(f"{machine.name()}, isolation {isolation.level}, {questions} questions")
    with tempfile.TemporaryDirectory() as place:
        install(Path(place))
        for name, (file, source) in FILES.items():
            folder = Path(place, name)
            folder.mkdir()
            (folder / file).write_text(source)
            shown = []
            for beside in ("nothing", "4 spinning", "16 sleeping and waking"):
                with neighbours(beside):
                    shown.append(f"{beside} {ask(folder, isolation, questions + WARM)}")
            print(f"{name:11} {', '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
