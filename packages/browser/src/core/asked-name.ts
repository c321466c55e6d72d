import { samplePosition } from "@afterword/protocol/sampling";
import type { Respondent } from "./identity.ts";
import type { RatedRun } from "./options.ts";

/** The name under which this device remembers that a person was asked, of a run if there is one; it names none of them. */
export const askedName = ({ id }: Respondent, surveyId: string, run?: Partial<RatedRun>) =>
  `asked:${samplePosition(id, run ? [surveyId, run.sessionId, run.observationId].join() : surveyId)}`;
