import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openStore } from "@afterword/server";
import { addProject, hashOf, response } from "../conformance/store-world.ts";

// How long an erasure of a survey on SQLite takes, and keeps its process from everything else: `node test/bench/erasure.ts
// 100000`. The processor time is of all threads.

const answers = Number(process.argv[2] ?? 100_000);
const answersAtOnce = 2000;
const folder = mkdtempSync(join(tmpdir(), "afterword-erasure-"));
const store = await openStore(join(folder, "a.db"));
try {
  const projectId = await addProject(store);
  for (let stored = 0; stored < answers; stored += answersAtOnce) {
    const people = Array.from({ length: answersAtOnce }, (_, index) => `person ${stored + index}`);
    const of = (respondentId: string) =>
      response(projectId, {
        respondentId,
        respondentHash: hashOf(respondentId),
        text: "It went well enough",
      });
    await Promise.all(people.map((person) => store.submit(of(person))));
  }
  const pauses = monitorEventLoopDelay({ resolution: 1 });
  pauses.enable();
  const begun = performance.now();
  const processorBefore = process.cpuUsage();
  const counts = await store.erase({ projectId, surveyIds: ["survey-1"] });
  const { user, system } = process.cpuUsage(processorBefore);
  const processorInMs = Math.round((user + system) / 1000);
  const inMs = Math.round(performance.now() - begun);
  pauses.disable();
  const longestPauseInMs = Math.round(pauses.max / 1_000_000);
  const measured = { ...counts, inMs, processorInMs, longestPauseInMs };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
} finally {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
