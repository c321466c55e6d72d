import { type Store } from "../store/store.ts";
import { type Clock } from "./clock.ts";
import { type ExportSlots } from "./export-responses.ts";
import { type MasterKeys } from "./master-keys.ts";
import { type ProjectDirectory } from "./project-directory.ts";
import { type RunCounts } from "./run-counts.ts";

/** Lifetimes of show-tokens. */
export interface TokenLifetimes {
  unboundInMs: number;
  boundInMs: number;
}

/** The parts that the domain's functions share. */
export interface Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly directory: ProjectDirectory;
  readonly masterKeys: MasterKeys;
  readonly lifetimes: TokenLifetimes;
  readonly exportSlots: ExportSlots;
  readonly runCounts: RunCounts;
}
