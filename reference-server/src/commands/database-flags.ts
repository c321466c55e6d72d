import { Command, Option } from "commander";

/** Flags of every command that works on a database. */
export interface DatabaseFlags {
  db: string;
  keyFile?: string;
  json?: boolean;
  auditFile?: string;
}

export const databaseOption = () =>
  new Option("--db <database>", "path of a SQLite file, or postgres://…")
    .env("AFTERWORD_DB")
    .default("afterword.db");

export const keyFileOption = () =>
  new Option("--key-file <file>", "file with the master key (or AFTERWORD_MASTER_KEY)").env(
    "AFTERWORD_KEY_FILE",
  );

export const erasureLogOption = () =>
  new Option("--erasure-log <file>", "file outside the database that records erasures").env(
    "AFTERWORD_ERASURE_LOG",
  );

export const auditFileOption = () =>
  new Option("--audit-file <file>", "file for audit lines; default: standard error").env(
    "AFTERWORD_AUDIT_FILE",
  );

/** An administration command with the common flags and an example in its help. */
export function administrationCommand(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .addOption(databaseOption())
    .addOption(keyFileOption())
    .addOption(auditFileOption())
    .option("--json", "print the result as one line of JSON")
    .addHelpText("after", `\nExample:\n  afterword-server ${example}`);
}
