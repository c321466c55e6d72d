import { type ServerConfig, type StartedProject } from "@afterword/reference-server";

/** A server that listens somewhere, on a database of its world. */
export interface RunningApi {
  baseUrl: string;
  projects: readonly StartedProject[];
  stop(): Promise<void>;
}

/**
 * Where the suite runs: one database, on which servers start and stop, and a clock that they all read. Each engine and
 * each arrangement of nodes and proxies has its own; the rules are the same for all.
 */
export interface ApiWorld {
  /** What `openStore` opens. */
  readonly database: string;
  start(config: ServerConfig): Promise<RunningApi>;
  clock: { now(): number; advance(milliseconds: number): void };
  dispose(): Promise<void>;
}

export type OpenWorld = () => Promise<ApiWorld>;
