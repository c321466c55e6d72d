import { randomBytes } from "node:crypto";
import pg from "pg";

/**
 * A database in the PostgreSQL of the tests, whose disk is not waited for: empty, or with all that another has, which
 * nobody may be connected to.
 */
export async function freshPostgres(server: string, original?: string): Promise<string> {
  const name = `afterword_${randomBytes(6).toString("hex")}`;
  const template = original === undefined ? "" : ` TEMPLATE ${new URL(original).pathname.slice(1)}`;
  await asOperator(server, (client) => client.query(`CREATE DATABASE ${name}${template}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  url.searchParams.set("durability", "unsafe");
  return url.href;
}

/** Runs statements past the store, as an operator would. */
export async function asOperator<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(database);
  url.search = "";
  const client = new pg.Client(url.href);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
