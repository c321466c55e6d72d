import { type Terminal } from "./terminal.ts";

const shownEveryInMs = 100;
const barLength = 24;

/** Shows the progress of long work on a terminal; `total` 0 means unknown. */
export function progressOf(terminal: Terminal, what: string) {
  let shownAt = -Infinity;
  return (done: number, total = 0): void => {
    const now = terminal.clock.now();
    if (!terminal.isWatched || now - shownAt < shownEveryInMs) return;
    shownAt = now;
    const share = total > 0 ? Math.min(1, done / total) : 0;
    const bar = "█".repeat(Math.round(share * barLength)).padEnd(barLength, "░");
    const amount = total > 0 ? `${bar} ${Math.floor(share * 100)} %` : done.toLocaleString("en");
    terminal.showProgress(`${what} ${amount}`);
  };
}
