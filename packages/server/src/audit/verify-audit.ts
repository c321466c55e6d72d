import * as z from "zod";
import { type ChainKey, type ChainLink, headOf, macOf } from "./audit-chain.ts";

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

/** A line of a file without its line break, with its place for the report. */
export interface FileLine {
  file: string;
  number: number;
  bytes: Buffer;
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
  /** The first 1,000. */
  faults: AuditFault[];
  faultCount: number;
}

type AuditLine = z.infer<typeof chainedLine>;

const isAuditLine = (line: unknown): line is { event: "audit"; level?: unknown } =>
  (line as { event?: unknown } | null | undefined)?.event === "audit";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Finds lines that other parsers and people may take for audit lines: of a doubled key they see the first. */
const looksLikeAudit = (text: string): boolean =>
  /"event"\s*:\s*"audit"/.test(
    text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    ),
  );

interface Known extends Omit<VerifiedChain, "head"> {
  /** Hashes of its last line, and of attempts at it that could not be confirmed. */
  lastMacs: string[];
}

/** Says what is wrong with a line of a known chain that its hash proves to be genuine. */
function misplaced(
  { first, last, lastMacs }: Known,
  { sequence, previous, mac }: ChainLink,
): string | undefined {
  if (lastMacs.includes(mac)) return "is there twice";
  if (sequence < last) return sequence < first ? "was moved" : "was moved, or is there twice";
  if (sequence > last + 1) return `follows line ${last} of its chain as line ${sequence}: lines were removed`;
  // The writer did not know whether its last line was kept, and wrote another one in its place.
  if (sequence === last) return undefined;
  return lastMacs.includes(previous) ? undefined : "does not continue its chain";
}

/** Memory must not grow with what somebody did to a file. */
const mostFaults = 1000;
const foreign = "is no whole audit line: it was cut off while it was written, or added";

/**
 * Checks audit lines of any number of processes, in the order in which they were written.
 * @param keys the master keys of those processes
 * @param areEarlierDeleted whether files before these were deleted, so that a chain may begin with any line
 */
export async function verifyAudit(
  lines: AsyncIterable<FileLine>,
  keys: readonly ChainKey[],
  areEarlierDeleted = false,
): Promise<AuditReport> {
  const chains = new Map<string, Known>();
  const report: AuditReport = { lines: 0, chains: [], faults: [], faultCount: 0 };
  const add = (file: string, line: number, fault: string) => {
    report.faultCount++;
    if (report.faults.length < mostFaults) report.faults.push({ file, line, fault });
  };
  // A file of the audit holds nothing else; in a log each line has a level. Its first audit line tells which it is.
  let current = "";
  let isLog: boolean | undefined;
  let firstForeign: number | undefined;
  for await (const { file, number, bytes } of lines) {
    if (file !== current) [current, isLog, firstForeign] = [file, undefined, undefined];
    const text = bytes.toString();
    const line = parsed(text);
    if (!isAuditLine(line)) {
      if (isLog === false || looksLikeAudit(text)) add(file, number, foreign);
      else firstForeign ??= number;
      continue;
    }
    if (isLog === undefined && line.level === undefined && firstForeign) add(file, firstForeign, foreign);
    isLog ??= line.level !== undefined;
    report.lines++;
    const fault = faultOf(line, bytes, chains, keys, areEarlierDeleted);
    if (fault) add(file, number, fault);
  }
  report.chains = [...chains.values()].map(({ lastMacs, ...chain }) => ({
    ...chain,
    head: headOf(lastMacs.at(-1)!),
  }));
  return report;
}

function faultOf(
  found: object,
  bytes: Buffer,
  chains: Map<string, Known>,
  keys: readonly ChainKey[],
  areEarlierDeleted: boolean,
): string | undefined {
  if (!chainedLine.safeParse(found).success) return "was changed";
  // With its fields in their order, which the hash depends on.
  const line = found as AuditLine;
  if (!line.chain) return "is not chained";
  const { mac, ...place } = line.chain;
  const { id, sequence } = place;
  const key = keys.find((one) => one.id === place.key);
  if (!key) return `is chained with the master key ${place.key}, which was not given`;
  // As the server writes it: other bytes that mean the same to one parser can mean something else to another.
  const isAsWritten = Buffer.from(JSON.stringify({ ...line, chain: { ...place, mac } })).equals(bytes);
  if (macOf(key, { ...line, chain: place }) !== mac || !isAsWritten) return "was changed";
  const known = chains.get(id);
  let fault = known && misplaced(known, line.chain);
  if (!known && sequence > 1 && !areEarlierDeleted)
    fault = `is line ${sequence} of a chain whose earlier lines are in no file`;
  if (!known || sequence > known.last)
    chains.set(id, { id, first: known?.first ?? sequence, last: sequence, lastMacs: [mac] });
  else if (sequence === known.last && !known.lastMacs.includes(mac)) known.lastMacs.push(mac);
  return fault;
}
