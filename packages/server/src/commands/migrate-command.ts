import { defineCommand } from "./define-command.ts";

/** `migrate`: for servers on PostgreSQL whose role may not change tables. */
export const migrateCommand = defineCommand({
  name: "migrate",
  description: "Bring the database to this version, as `serve` does when it starts",
  example: "migrate --db postgres://afterword_owner@host:5432/afterword",
  options: (command) => command,
  schema: "migrate",
  work: async () => ({ json: { migrated: true }, lines: ["The database has the schema of this version."] }),
});
