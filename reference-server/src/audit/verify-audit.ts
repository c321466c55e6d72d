import * as z from "zod";
import { headOf, macOf, type ChainKey } from "./audit-chain.ts";

const chainedLine = z.looseObject({
  event: z.literal("audit"),
  chain: z
    .strictObject({
      id: z.string(),
      sequence: z.int().min(1),
      key: z.string(),
      previous: z.string(),
      mac: z.string(),
    })
    .optional(),
});

/** A line of a file, with its place for the report. */
export interface FileLine {
  file: string;
  number: number;
  text: string;
}

export interface AuditFault {
  file: string;
  line: number;
  fault: string;
}

/** The lines of one process that were found. */
export interface VerifiedChain {
  id: string;
  /** Numbers of its first and its last line. */
  first: number;
  last: number;
  /** `AuditChain.head` after its last line. */
  head: number;
}

export interface AuditReport {
  /** Audit lines; those of a log are skipped. */
  lines: number;
  chains: VerifiedChain[];
  faults: AuditFault[];
}

/** With its fields in their order, which the hash depends on. */
function parsed(text: string): z.infer<typeof chainedLine> | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return chainedLine.safeParse(line).success ? (line as z.infer<typeof chainedLine>) : undefined;
  } catch {
    return undefined;
  }
}

interface Known extends Omit<VerifiedChain, "head"> {
  /** Hashes of its last line, and of attempts at it that could not be confirmed. */
  lastMacs: string[];
}

/** What is wrong with a line that its hash proves to be genuine. */
function misplaced(
  known: Known | undefined,
  sequence: number,
  previous: string,
  mac: string,
): string | undefined {
  if (!known)
    return sequence === 1 ? undefined : `is line ${sequence} of a chain whose earlier lines are in no file`;
  if (known.lastMacs.includes(mac)) return "is there twice";
  const { first, last } = known;
  if (sequence < last) return sequence < first ? "was moved" : "was moved, or is there twice";
  if (sequence > last + 1) return `follows line ${last} of its chain as line ${sequence}: lines were removed`;
  // The writer did not know whether its last line was kept, and wrote another one in its place.
  if (sequence === last) return undefined;
  return known.lastMacs.includes(previous) ? undefined : "does not continue its chain";
}

/**
 * Checks audit lines of any number of processes, in the order in which they were written.
 * @param keys the master keys of those processes
 * @param areEarlierDeleted whether files before these were deleted, so that a chain may begin with any line
 */
export function verifyAudit(
  lines: Iterable<FileLine>,
  keys: readonly ChainKey[],
  areEarlierDeleted = false,
): AuditReport {
  const chains = new Map<string, Known>();
  const faults: AuditFault[] = [];
  let count = 0;
  for (const { file, number, text } of lines) {
    const line = parsed(text);
    if (!line) continue;
    count++;
    const fault = faultOf(line, chains, keys, areEarlierDeleted);
    if (fault) faults.push({ file, line: number, fault });
  }
  const found = [...chains.values()].map(({ lastMacs, ...chain }) => ({
    ...chain,
    head: headOf(lastMacs.at(-1)!),
  }));
  return { lines: count, chains: found, faults };
}

function faultOf(
  line: z.infer<typeof chainedLine>,
  chains: Map<string, Known>,
  keys: readonly ChainKey[],
  areEarlierDeleted: boolean,
): string | undefined {
  if (!line.chain) return "is not chained";
  const { mac, ...place } = line.chain;
  const { id, sequence, previous } = place;
  const key = keys.find((one) => one.id === place.key);
  if (!key) return `is chained with the master key ${place.key}, which was not given`;
  if (macOf(key, { ...line, chain: place }) !== mac) return "was changed";
  const known = chains.get(id);
  const fault = !known && areEarlierDeleted ? undefined : misplaced(known, sequence, previous, mac);
  if (!known || sequence > known.last)
    chains.set(id, { id, first: known?.first ?? sequence, last: sequence, lastMacs: [mac] });
  else if (sequence === known.last) known.lastMacs.push(mac);
  return fault;
}
