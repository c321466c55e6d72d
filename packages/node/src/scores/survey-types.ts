import type { SurveyType } from "@afterword/protocol";
import type { Logger } from "../options/logger.ts";
import type { Clock } from "../options/clock.ts";

/** Milliseconds between two look-ups while a survey is unknown; a deleted survey stays unknown. */
const reloadEveryInMs = 300_000;

/**
 * Makes a look-up of a survey's type at the service, which asks once for all. A failed one holds nothing up: the score is
 * then delivered without its meaning, under the same name, since a changed name would be a second score.
 */
export function surveyTypeLookup(
  load: () => Promise<Record<string, SurveyType>>,
  { signal, clock, logger }: { signal: AbortSignal; clock: Clock; logger: Logger },
) {
  const types = new Map<string, SurveyType>();
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  async function loadAll(): Promise<void> {
    try {
      for (const [id, type] of Object.entries(await load())) types.set(id, type);
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : "look-up failed";
      logger.warn(`could not load survey types: ${reason}`);
    } finally {
      loadedAt = clock.now();
      loading = undefined;
    }
  }

  return async (surveyId: string): Promise<SurveyType | undefined> => {
    const isDue = loading !== undefined || clock.now() - loadedAt >= reloadEveryInMs;
    if (!types.has(surveyId) && isDue) await (loading ??= loadAll());
    return types.get(surveyId);
  };
}
