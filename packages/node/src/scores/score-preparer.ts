import type { PendingScore, SurveyType } from "@afterword/protocol";
import { ConfigurationError } from "../errors/configuration-error.ts";
import type { CallOptions } from "../http/transport.ts";
import type { Clock } from "../options/clock.ts";
import { silentLogger, type Logger } from "../options/logger.ts";
import { checkedPublishableKey } from "../options/publishable-key.ts";
import { scoreReader, type ScoreValueOptions } from "./score-value.ts";
import type { DeliverableScore, Sink } from "./sink.ts";
import { SurveyTypes } from "./survey-types.ts";

/** The options of a forwarder that decide what its sink receives for a score. */
export interface ScorePreparerOptions extends Omit<ScoreValueOptions, "surveyType"> {
  client: {
    surveyTypes?(publishableKey: string, options?: CallOptions): Promise<Record<string, SurveyType>>;
  };
  sink: Pick<Sink, "textByDefault">;
  publishableKey?: string;
  logger?: Logger;
  clock: Clock;
}

/**
 * Creates the function that turns a score of the queue into what the sink receives: it adds the score's name and the meaning of the
 * rating, for which it may look up the survey's type at the service, and applies the text policy. The signal cancels look-ups.
 * Throws a `ConfigurationError` for a key that is not publishable.
 */
export function scorePreparer(
  options: ScorePreparerOptions,
  signal: AbortSignal,
): (score: PendingScore) => DeliverableScore | Promise<DeliverableScore> {
  const { surveys, scoreName, client, publishableKey, sink, clock, logger = silentLogger } = options;
  const text = options.text ?? sink.textByDefault ?? "omit";
  if (publishableKey === undefined) return scoreReader({ surveys, scoreName, text });
  const key = checkedPublishableKey(publishableKey);
  if (!client.surveyTypes)
    throw new ConfigurationError("publishableKey needs a client that can look up survey types.");
  const load = () => client.surveyTypes!(key, { signal });
  const surveyTypes = new SurveyTypes({ load, signal, clock, logger });
  return scoreReader({ surveys, scoreName, text, surveyType: (id) => surveyTypes.typeOf(id) });
}
