import { readFileSync } from "node:fs";
import { npxWatch } from "./npx-watch.ts";

/** npx passes a signal on although the terminal has already sent it to the program: both are one press of Ctrl-C. */
const oneKeyPressInMs = 500;
const lookForNpxEveryInMs = 500;

type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Ends this process as the signal does by default, so that a script that runs the program ends too. */
export function dieOf(signal: Signal): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * Calls `stop` for the first of each signal, and `again` when it is sent a second time on purpose.
 * @param again Default: the process dies of the signal
 */
export function onStopSignals<Name extends Signal>(
  signals: readonly Name[],
  stop: (signal: Name) => void,
  again: (signal: Name) => void = dieOf,
): void {
  for (const signal of signals) {
    let pressedAt: number | undefined;
    process.on(signal, () => {
      if (pressedAt === undefined) {
        pressedAt = performance.now();
        stop(signal);
      } else if (performance.now() - pressedAt > oneKeyPressInMs) again(signal);
    });
  }
}

/** Calls `stop` when the npx that has started this program ends without passing its signal on. @param name of the command */
export function onEndOfNpx(name: string, stop: () => void): void {
  const isGone = npxWatch(name, process, (path) => readFileSync(path, "utf8"));
  if (!isGone) return;
  const timer = setInterval(() => {
    if (!isGone()) return;
    clearInterval(timer);
    stop();
  }, lookForNpxEveryInMs).unref();
}
