import type { PendingScore } from "@afterword/protocol";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { silentLogger } from "../http/logger.ts";
import { checkedPublishableKey } from "../respondent/publishable-key.ts";
import type { Clock } from "./clock.ts";
import type { ForwarderOptions } from "./create-delivery-loop.ts";
import { scoreReader } from "./score-value.ts";
import type { DeliverableScore } from "./sink.ts";
import { SurveyTypes } from "./survey-types.ts";

/** The options of a forwarder that say what its sink is given for a row. */
export type RowReaderOptions = Pick<
  ForwarderOptions,
  "client" | "sink" | "surveys" | "scoreName" | "text" | "publishableKey" | "logger"
> & { clock: Clock };

/**
 * Makes the function that gives a row its meaning, asks the service for it where it has to, and applies the text policy.
 * The signal takes back what is asked. Throws a `ConfigurationError` for a key that cannot fit.
 */
export function rowReader(
  options: RowReaderOptions,
  signal: AbortSignal,
): (row: PendingScore) => DeliverableScore | Promise<DeliverableScore> {
  const { surveys, scoreName, sink, clock, logger = silentLogger } = options;
  const text = options.text ?? sink.textByDefault ?? "omit";
  const load = surveyTypeLoader(options);
  const surveyTypes = load && new SurveyTypes({ load, signal, clock, logger });
  return scoreReader({
    surveys,
    scoreName,
    text,
    surveyType: surveyTypes && ((id) => surveyTypes.typeOf(id)),
  });
}

function surveyTypeLoader({ client, publishableKey }: RowReaderOptions) {
  if (publishableKey === undefined) return undefined;
  const key = checkedPublishableKey(publishableKey);
  if (client.surveyTypes) return (options: { signal: AbortSignal }) => client.surveyTypes!(key, options);
  throw new ConfigurationError("publishableKey needs a client that can look up survey types.");
}
