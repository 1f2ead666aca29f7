// Loaded before a bot's own program: prints where the bot is when it computes without returning to its event loop.
// A second thread checks whether the event loop still runs, and if not, how much CPU time the bot has used since.
"use strict";
const {isMainThread, Worker, workerData: beat} = require("node:worker_threads");

const EVERY = 100; // milliseconds
const LONG = 0.9; // CPU seconds without returning to the event loop

if (isMainThread) {
  const rounds = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(rounds, 0, 1), EVERY).unref();
  new Worker(__filename, {workerData: rounds, env: {}, execArgv: []}).unref();
} else {
  const {readFileSync, writeSync} = require("node:fs");
  const {Session} = require("node:inspector");

  const account = `/proc/${process.pid}/task/${process.pid}/schedstat`;
  const computed = () => Number(readFileSync(account, "latin1").split(" ")[0]) / 1e9;
  const session = new Session();
  session.connectToMainThread(); // now: while the main thread is busy it would be too late
  session.post("Runtime.evaluate", {expression: "0"});

  const files = new Map(); // by script
  session.on("Debugger.scriptParsed", ({params}) => files.set(params.scriptId, params.url.replace("file://", "")));
  const file = ({location}) => files.get(location.scriptId) ?? "";
  const line = (frame) => `${file(frame)}:${frame.location.lineNumber + 1}`;
  const place = (frame) => (frame.functionName ? `${frame.functionName} (${line(frame)})` : line(frame));

  session.on("Debugger.paused", ({params}) => {
    const lines = params.callFrames.filter((frame) => file(frame).startsWith("/")).map(place);
    if (lines.length) {
      writeSync(2, `no answer in time; the bot is at ${lines[0]}\n${lines.map((line) => `    at ${line}\n`).join("")}`);
    }
    session.post("Debugger.resume");
    session.post("Debugger.disable");
  });

  let [seen, since, told] = [-1, 0, false];
  setInterval(() => {
    const now = Atomics.load(beat, 0);
    if (now !== seen) [seen, since, told] = [now, computed(), false];
    else if (!told && computed() - since > LONG) {
      told = true;
      session.post("Debugger.enable");
      session.post("Debugger.pause");
    }
  }, EVERY);
}
