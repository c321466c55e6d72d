import type { Row } from "./page-source.ts";
import type { DeliverableScore } from "../scores/sink.ts";

/** What the sink is given for a row; nothing where the row is kept back. */
export type Prepared = DeliverableScore | undefined;

/** Rows and, in their order, what the sink is given for them. */
export interface Batch {
  rows: Row[];
  scores: DeliverableScore[];
}

/** Leaves out the rows that are kept back. */
export function batchOf(rows: Row[], prepared: Prepared[]): Batch {
  if (prepared.every((score) => score !== undefined)) return { rows, scores: prepared };
  return {
    rows: rows.filter((_, index) => prepared[index] !== undefined),
    scores: prepared.filter((score) => score !== undefined),
  };
}
