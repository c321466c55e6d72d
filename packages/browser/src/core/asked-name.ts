import type { SurveyDefinition } from "@afterword/protocol";
import { samplePosition } from "@afterword/protocol/sampling";
import type { Respondent } from "./identity.ts";

/** The name under which this device remembers that a person was asked; it names neither of the two. */
export const askedName = ({ id }: Respondent, survey: SurveyDefinition) =>
  `asked:${samplePosition(id, survey.id)}`;
