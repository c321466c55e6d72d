import { hookLoading } from "./load-hooks.ts";
import { replaceGlobals } from "./own-the-clock.ts";

const started = process.hrtime.bigint();
replaceGlobals();
hookLoading();
const { play } = await import("./play.ts");
let steps = 0;
for (let n = 0; n < Number(process.argv[3] ?? 3); n++) {
  const played = await play(`${process.argv[2] ?? 1}/${process.argv[5] ?? n}`);
  steps += played.steps;
  const s = Number(process.hrtime.bigint() - started) / 1e9;
  console.log(n, played.steps, steps, s.toFixed(1), played.broken?.message?.slice(0, 600));
  if (process.argv[4]) console.log(played.lines.join("\n"));
}
