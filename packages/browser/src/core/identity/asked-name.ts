import { samplePosition } from "@afterword/protocol/sampling";
import type { Respondent } from "./identity.ts";
import type { RatedRun } from "../options/index.ts";

/**
 * The name under which this device remembers that a person was asked, of a run if there is one; it names none of them. The
 * value is the time when the service stored the answer, in milliseconds since 1970, and no number before; of a run never.
 */
export const askedName = (
  { id }: Pick<Respondent, "id">,
  { surveyId, sessionId, observationId }: Pick<RatedRun, "surveyId"> & Partial<RatedRun>,
) => `asked:${samplePosition(id, [surveyId, sessionId, observationId].join())}`;
