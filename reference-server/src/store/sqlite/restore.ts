import Database from "better-sqlite3";
import { Mistake } from "../../domain/mistake.ts";
import { migrations } from "./migrations.ts";

/** @throws Mistake when the file is no whole database of this service, or of a newer one */
export function checkBackup(file: string): void {
  let connection: Database.Database | undefined;
  try {
    connection = new Database(file, { readonly: true });
    const version = connection.pragma("user_version", { simple: true }) as number;
    const integrity = connection.pragma("quick_check(1)", { simple: true });
    if (integrity !== "ok") throw new Mistake(`The backup ${file} is damaged: ${String(integrity)}`);
    if (version === 0) throw new Mistake(`${file} is not a database of this server.`);
    if (version > migrations.length) throw new Mistake(`${file} is from a newer server: install that one.`);
  } catch (error) {
    if (Mistake.isInstance(error)) throw error;
    throw new Mistake(`${file} is not a SQLite database: ${(error as Error).message}`, { cause: error });
  } finally {
    connection?.close();
  }
}

/** @throws Mistake while another process has the database open */
export function lockAlone(path: string): void {
  const connection = new Database(path, { timeout: 0 });
  try {
    // Leaving WAL mode needs the whole file: it fails while anybody else has it open.
    connection.pragma("journal_mode = DELETE");
  } catch (error) {
    throw new Mistake(`${path} is in use: stop the server first.`, { cause: error });
  } finally {
    connection.close();
  }
}
