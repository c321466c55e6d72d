import { type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

type Ending = [code: number | null, signal: NodeJS.Signals | null];

/** How a started program ends, and what it has written to pipes until then. */
export async function endOf(child: ChildProcess) {
  const written = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ""));
  const [[code, signal], out = "", error = ""] = await Promise.all([
    once(child, "close") as Promise<Ending>,
    ...written,
  ]);
  return { code, signal, out, error };
}
