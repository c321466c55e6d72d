import { startServer, type ServerConfig } from "@afterword/reference-server";
import { runServerCommand } from "../../faults/server-command.ts";
import { type ApiWorld } from "./api-world.ts";

/** Prepares a database for a config, and creates a secret key of its first project that is limited to `mint`. */
export async function createMintKey({ database, clock }: ApiWorld, config: ServerConfig): Promise<string> {
  await (await startServer({ config, database, clock })).close();
  const words = ["key", "create", config.projects[0]!.id, "secret", "--scope", "mint", "--json"];
  const { out, error } = await runServerCommand([...words, "--db", database]);
  if (out === "") throw new Error(error);
  return (JSON.parse(out) as { key: string }).key;
}
