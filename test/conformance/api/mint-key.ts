import { startServer, type ServerConfig } from "@afterword/server";
import { runServerCommand } from "../../faults/server-command.ts";
import { type ApiWorld, type RunningApi } from "./api-world.ts";

/** A token of the first project that has expired, since the clock then moves by a day. */
export async function expiredTokenOf(
  { baseUrl }: RunningApi,
  { clock }: ApiWorld,
  key: string,
): Promise<string> {
  const body = JSON.stringify({ key });
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${baseUrl}/v1/sdk/bootstrap`, { method: "POST", headers, body });
  const { showTokens } = (await reply.json()) as { showTokens: Record<string, string> };
  clock.advance(25 * 3_600_000);
  return showTokens["nps"]!;
}

/** Prepares a database for a config, and creates a secret key of its first project that is limited to `mint`. */
export async function createMintKey({ database, clock }: ApiWorld, config: ServerConfig): Promise<string> {
  await (await startServer({ config, database, clock })).close();
  const words = ["key", "create", config.projects[0]!.id, "secret", "--scope", "mint", "--json"];
  const { out, error } = await runServerCommand([...words, "--db", database]);
  if (out === "") throw new Error(error);
  return (JSON.parse(out) as { key: string }).key;
}
