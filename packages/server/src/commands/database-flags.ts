import { Option } from "commander";

export interface DatabaseFlags {
  db: string;
  keyFile?: string;
  json?: boolean;
  auditFile?: string;
  /** Only commands that ask before they destroy something have it. */
  yes?: boolean;
}

/** An option that a variable can set too: AFTERWORD_ADMIN_PORT for `--admin-port`. */
export function setting(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.env(`AFTERWORD_${option.name().replaceAll("-", "_").toUpperCase()}`);
}

export const databaseOption = () =>
  setting("--db <database>", "path of a SQLite file, or postgres://…").default("afterword.db");
export const keyFileOption = () =>
  setting("--key-file <file>", "file with the master key; AFTERWORD_MASTER_KEY can hold the key itself");
export const erasureLogOption = () =>
  setting("--erasure-log <file>", "file outside the database that records erasures");
export const auditFileOption = () =>
  setting("--audit-file <file>", "file for audit lines; default: standard error");

export const confirmedOption = () => new Option("--yes", "do not ask for confirmation");
