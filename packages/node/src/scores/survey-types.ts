import type { SurveyType } from "@afterword/protocol";
import { ConfigurationError } from "../errors/configuration-error.ts";
import type { CallOptions } from "../http/transport.ts";
import type { Clock } from "../options/clock.ts";
import { type Logger, silentLogger } from "../options/logger.ts";
import { checkedPublishableKey } from "../options/publishable-key.ts";

export interface SurveyTypeOptions {
  /** The client, or any object that can look up survey types. */
  client: {
    surveyTypes?(publishableKey: string, options?: CallOptions): Promise<Record<string, SurveyType>>;
  };
  /**
   * Publishable key of the project, used to look up the type of each survey that `surveys` does not list. Default: such
   * scores are delivered as raw values only.
   */
  publishableKey?: string | undefined;
  logger?: Logger | undefined;
}

/** Milliseconds between two look-ups while a survey is unknown; a deleted survey stays unknown. */
const reloadEveryInMs = 300_000;

/**
 * Makes a look-up of a survey's type at the service, which asks once for all; `undefined` without a publishable key. A
 * failed one holds nothing up: the score is then delivered without its meaning, under the same name, since a changed name
 * would be a second score.
 */
export function surveyTypeLookup(
  { client, publishableKey, clock, logger = silentLogger }: SurveyTypeOptions & { clock: Clock },
  signal: AbortSignal,
) {
  if (publishableKey === undefined) return undefined;
  const key = checkedPublishableKey(publishableKey);
  if (!client.surveyTypes)
    throw new ConfigurationError("publishableKey needs a client that can look up survey types.");
  const types = new Map<string, SurveyType>();
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  async function loadAll(): Promise<void> {
    try {
      for (const [id, type] of Object.entries(await client.surveyTypes!(key, { signal }))) types.set(id, type);
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
