import type { SurveyType } from "@afterword/protocol";
import type { Logger } from "../options/logger.ts";
import type { Clock } from "../options/clock.ts";

export interface SurveyTypesOptions {
  /** Looks up the type of each survey at the service. */
  load: (options: { signal: AbortSignal }) => Promise<Record<string, SurveyType>>;
  /** Aborted when the types are no longer needed. */
  signal: AbortSignal;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds between two look-ups while a survey is unknown; a deleted survey stays unknown. */
const reloadEveryInMs = 300_000;

/**
 * The type of each survey, from the service. A failed look-up holds nothing up: the score is then delivered without its
 * meaning, under the same name, since a changed name would be a second score.
 */
export class SurveyTypes {
  readonly #options: SurveyTypesOptions;
  readonly #types = new Map<string, SurveyType>();
  #loadedAt = -Infinity;
  #loading: Promise<void> | undefined;

  constructor(options: SurveyTypesOptions) {
    this.#options = options;
  }

  /** Synchronous, unless it must be looked up first. */
  typeOf(surveyId: string): SurveyType | undefined | Promise<SurveyType | undefined> {
    const known = this.#types.get(surveyId);
    if (known !== undefined || !this.#isDue()) return known;
    return (this.#loading ??= this.#load()).then(() => this.#types.get(surveyId));
  }

  #isDue(): boolean {
    return this.#loading !== undefined || this.#options.clock.now() - this.#loadedAt >= reloadEveryInMs;
  }

  async #load(): Promise<void> {
    const { load, signal, clock, logger } = this.#options;
    try {
      for (const [id, type] of Object.entries(await load({ signal }))) this.#types.set(id, type);
    } catch (error) {
      if (signal.aborted) return;
      logger.warn(
        `could not load survey types: ${error instanceof Error ? error.message : "look-up failed"}`,
      );
    } finally {
      this.#loadedAt = clock.now();
      this.#loading = undefined;
    }
  }
}
