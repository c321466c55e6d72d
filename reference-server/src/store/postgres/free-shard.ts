/** Any number that no other program uses for locks of two numbers in the same database. */
const shardLocks = 7_236_401;

/** Rows per survey at most; as many statements can count at once without waiting for each other. */
const shards = 64;

/**
 * A query for one row: the lowest shard that no transaction counts in now, which is then this one's until it ends. A
 * shard that follows from the connection instead could be that of another one, and both would wait for each other's
 * flushes for as long as they live.
 */
export const freeShard = `
  SELECT shard FROM generate_series(0, ${shards - 1}) AS shard WHERE pg_try_advisory_xact_lock(${shardLocks}, shard)
  LIMIT 1`;

/** As an expression, for a statement that has `freeShard` as its table `free`. Where all are taken, one is shared. */
export const ownShard = `coalesce((SELECT shard FROM free), ${shards - 1})`;
