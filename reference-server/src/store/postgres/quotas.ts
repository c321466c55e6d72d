import { type PermitBlock } from "../store.ts";
import { type Connection } from "./connection.ts";

/**
 * GCRA for a block of permits: the quota is whole again that much later, from now or from when it would have been. A
 * clock that is ahead of the others' cannot empty a quota for longer than its tolerance. Keys come in one order, so
 * that nodes that take from the same quotas cannot lock each other out.
 */
const take = {
  name: "take-permits",
  text: `
    WITH block AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::double precision[], $3::double precision[], $4::double precision[])
      AS block (key, since, cost, tolerance)
    ), known AS MATERIALIZED (
      SELECT quotas.key, whole_again_at FROM quotas WHERE key = ANY ($1::text[]) ORDER BY key FOR UPDATE
    )
    INSERT INTO quotas (key, whole_again_at)
    SELECT block.key, greatest(since, least(coalesce(whole_again_at, since), since + tolerance)) + cost
    FROM block LEFT JOIN known ON known.key = block.key ORDER BY block.key
    ON CONFLICT (key) DO UPDATE SET whole_again_at = excluded.whole_again_at
    RETURNING key, whole_again_at AS "wholeAgainAt"`,
};

interface Row {
  key: string;
  wholeAgainAt: number;
}

/** When each quota will be whole again. Two nodes that use a quota for the first time at once may both have its block. */
export async function takePermits(connection: Connection, blocks: readonly PermitBlock[]): Promise<number[]> {
  const values = [
    blocks.map(({ key }) => key),
    blocks.map(({ since }) => since),
    blocks.map(({ permits, intervalInMs }) => permits * intervalInMs),
    blocks.map(({ toleranceInMs }) => toleranceInMs),
  ];
  const { rows } = await connection.query<Row>({ ...take, values });
  const wholeAgainAt = new Map(rows.map((row) => [row.key, row.wholeAgainAt]));
  return blocks.map(({ key, since }) => wholeAgainAt.get(key) ?? since);
}

export async function forgetQuotas(connection: Connection, wholeBefore: number): Promise<void> {
  await connection.query("DELETE FROM quotas WHERE whole_again_at < $1", [wholeBefore]);
}
