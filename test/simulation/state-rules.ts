import type { SimulatedSink } from "./forwarding.ts";
import { sameAs } from "./reply-rules.ts";
import { assertRule } from "./rule-broken.ts";
import { wordsOf, wordsPattern, type Call } from "./ledger.ts";
import { dayInMs } from "./surveys.ts";
import type { World } from "./world.ts";

/** A row of the service's database. */
interface Row {
  id: string;
  rating: number;
  text: string | null;
  sessionId: string | null;
  scoreState: string;
}

const rowsOf = (world: World) =>
  world.service.rows<Row>(
    "SELECT id, rating, text, session_id AS sessionId, score_state AS scoreState FROM responses",
  );

function erasedCalls(world: World, person: string): Call[] {
  const { ledger } = world;
  return [...ledger.stored()].filter((call) => call.person === person && ledger.isErased(call));
}

/** Once an erasure is answered, the words are neither in a row nor on the disk. */
export function checkErasure(world: World, person: string, isLogHeld: boolean): void {
  const erased = erasedCalls(world, person).filter(({ text }) => text);
  const rows = new Set(rowsOf(world).map(({ id }) => id));
  for (const { reply } of erased)
    assertRule(!rows.has(reply!.id!), "an erasure deletes every answer of the person", () => reply!.id!);
  if (!isLogHeld) checkDisk(world, erased);
}

function checkDisk(world: World, erased: readonly Call[]): void {
  const words = new Set(world.service.bytesOnDisk().match(wordsPattern));
  const again = new Set(rowsOf(world).flatMap(({ text }) => wordsOf(text)));
  for (const { text } of erased)
    for (const one of wordsOf(text))
      assertRule(!words.has(one) || again.has(one), "no erased word is left on the disk", () => one);
}

/** An erasure that its operator has reported as over at the sinks and the service. */
export interface EverywhereErased {
  person: string;
  askedAt: number;
  /** The scores that it knows of. */
  ids: ReadonlySet<string>;
  /** Whether it says that there are no others: an answer may arrive while it is under way. */
  isCertain: boolean;
}

/** Once an erasure is over everywhere, the sinks have nothing of what it erased. */
export function checkErasedEverywhere(
  world: World,
  { person, askedAt, ids, isCertain }: EverywhereErased,
): void {
  const gone = new Set(ids);
  const { ledger } = world;
  for (const call of erasedCalls(world, person)) {
    const first = ledger.erasures.find((one) => one.person === person && one.startedAt > call.endedAt)!;
    if (isCertain && call.endedAt < askedAt && first.startedAt > askedAt) gone.add(call.reply!.id!);
  }
  for (const { host, stored } of world.sinks)
    for (const { id, text } of stored)
      assertRule(!gone.has(id), "no erased score is left at a sink", () => `${id} ${text} at ${host}`);
}

/** Forwarders that meet no failure leave nothing in the queue. */
export function checkQueue(world: World): void {
  if (world.broken) return;
  for (const { id, scoreState } of rowsOf(world))
    assertRule(scoreState !== "pending", "the queue is emptied once nothing fails", () => id);
}

/** What holds when everything has come to rest and nothing fails any more. */
export function checkRest(world: World): void {
  const rows = rowsOf(world);
  const stored = [...world.ledger.stored()].filter(({ does }) => does === "submit");
  checkStored(world, rows, stored);
  for (const sink of world.sinks) checkDelivered(world, sink, rows);
  for (const erasure of world.erasedEverywhere) {
    checkErasedEverywhere(world, erasure);
    checkErasure(world, erasure.person, false);
  }
  checkPromises(world, rows);
}

function checkStored(world: World, rows: readonly Row[], stored: readonly Call[]): void {
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const call of stored) {
    const row = byId.get(call.reply!.id!);
    if (!row && world.ledger.mayBeErased(call.person, Infinity)) continue;
    assertRule(
      row !== undefined && sameAs(call, row),
      "an acknowledged answer is stored as it was given",
      () => JSON.stringify([call, row]),
    );
  }
  const seen = new Set<string>();
  for (const words of rows.flatMap(({ text }) => wordsOf(text))) {
    assertRule(!seen.has(words), "an answer is stored once", () => words);
    seen.add(words);
  }
}

function checkDelivered(world: World, sink: SimulatedSink, rows: readonly Row[]): void {
  for (const row of rows) {
    const delivered = sink.stored.filter(({ id }) => id === row.id);
    if (row.sessionId === null) {
      assertRule(delivered.length === 0, "an unlinked answer is no score", () => row.id);
      continue;
    }
    const isEnough = sink.isIdempotent || world.isCalm ? delivered.length === 1 : delivered.length > 0;
    assertRule(
      isEnough,
      "a linked answer is delivered, and once where nothing repeats",
      () => `${row.id} is ${row.scoreState} and ${delivered.length} times at ${sink.host}`,
    );
    assertRule(
      row.scoreState === "delivered",
      "a delivered score leaves the queue",
      () => `${row.id} ${row.scoreState}`,
    );
    for (const one of delivered)
      assertRule(
        one.sessionId === row.sessionId && one.rating === row.rating && one.text === row.text,
        "a score is delivered as it was answered",
        () => JSON.stringify([row, one]),
      );
  }
  if (!world.isCalm) return;
  assertRule(
    sink.accepted.length === sink.stored.length,
    "in a calm world nothing is pushed twice",
    () => `${sink.accepted.length} pushes`,
  );
}

/** A device gives an answer up after seven days by its clock, which may have jumped. */
const mostOfWeekInMs = 6.5 * dayInMs;

/** What pages have promised: an answer that the service has acknowledged, and one that the device keeps. */
function checkPromises(world: World, rows: readonly Row[]): void {
  const { ledger } = world;
  const inRows = new Set(rows.flatMap(({ text }) => wordsOf(text)));
  const { now } = world.scheduler;
  for (const { promise, words, person, at } of world.written) {
    const isExcused =
      inRows.has(words) || ledger.uncomparedWords.has(words) || ledger.mayBeErased(person.id, Infinity);
    if (!promise || isExcused) continue;
    const isRefused =
      promise === "kept" &&
      (ledger.refusedWords.has(words) || (world.expired.has(person.id) && now - at > mostOfWeekInMs));
    assertRule(isRefused, "what a page has promised is stored", () => `${words} of ${person.id}: ${promise}`);
  }
  for (const { device, hasConsented } of world.people) {
    const waiting = Object.keys(device.local).filter((name) => name.includes(":outbox:"));
    if (hasConsented)
      assertRule(waiting.length === 0, "nothing waits on a device for ever", () =>
        JSON.stringify(device.local),
      );
  }
}
