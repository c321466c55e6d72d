import * as z from "zod";
import { serverConfig, type ServerConfig } from "./server-config.ts";
import { databasePlace } from "../store/open-store.ts";

const marker = Symbol.for("afterword.server.invalid-config");

/** A mistake in a config, and where it is, for example `projects[0].surveys[1].slug`. */
export interface ConfigMistake {
  path: string;
  message: string;
}

/** The config is invalid; `mistakes` lists everything that is wrong. Nothing was started. */
export class InvalidConfig extends Error {
  readonly [marker] = true;
  readonly mistakes: readonly ConfigMistake[];

  constructor(mistakes: readonly ConfigMistake[]) {
    super(mistakes.map(({ path, message }) => `${path || "config"}: ${message}`).join("\n"));
    this.name = "InvalidConfig";
    this.mistakes = mistakes;
  }

  static isInstance(error: unknown): error is InvalidConfig {
    return typeof error === "object" && error !== null && marker in error;
  }
}

function mistakeOf(issue: z.core.$ZodIssue): ConfigMistake[] {
  const path = z.core.toDotPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: z.core.toDotPath([...issue.path, key]),
      message: "is not a known setting",
    }));
  }
  // Only a union's object branch has issues with paths.
  if (issue.code === "invalid_union") {
    const inner = issue.errors.at(-1) ?? [];
    return inner.flatMap((one) => mistakeOf({ ...one, path: [...issue.path, ...one.path] }));
  }
  if (issue.code === "invalid_key") return issue.issues.map(({ message }) => ({ path, message }));
  if (issue.code === "custom" && issue.params?.["first"] !== undefined) {
    const first = z.core.toDotPath([
      ...issue.path.slice(0, -2),
      issue.params["first"],
      ...issue.path.slice(-1),
    ]);
    return [{ path, message: `is the same as ${first}` }];
  }
  return [{ path, message: issue.message }];
}

/** Validates a config. @throws InvalidConfig with all mistakes */
export function parseConfig(value: unknown): ServerConfig {
  const parsed = serverConfig.safeParse(value);
  if (parsed.error) throw new InvalidConfig(parsed.error.issues.flatMap(mistakeOf));
  return parsed.data;
}

/** The config of a server, by default without projects. @throws InvalidConfig, also for several nodes where one server may run */
export function configFor(database: string, value: unknown = { projects: [] }): ServerConfig {
  const config = parseConfig(value);
  if ((config.nodes ?? 1) === 1 || databasePlace(database).kind === "server") return config;
  throw new InvalidConfig([
    { path: "nodes", message: "is the number of servers on one PostgreSQL; this database has one server" },
  ]);
}
