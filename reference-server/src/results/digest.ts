import { answersText, intervalText, valueText, warningText } from "./results-text.ts";
import { type SurveyOverview } from "./read-report.ts";
import { periodText, type Period } from "./times.ts";
import { byUrgency, movementOf, verdict } from "./verdict.ts";

const signs = { down: "▼ ", up: "▲ ", unclear: "", unknown: "" };

/** A text as itself, on one line, whatever Markdown would make of it. */
const plain = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>#|~!]/g, "\\$&");

function line({ question, results, change }: SurveyOverview): string {
  const { score, rawScore } = results;
  if (rawScore.n === 0) return `- **${plain(question)}** No answers.`;
  const { direction, words, detail } = movementOf(change);
  const warning = warningText(score);
  return `- **${plain(question)}** ${valueText(score)}${warning ? `, ${warning}` : `, likely ${intervalText(score)}`}. ${signs[direction]}${words}${detail && ` (${detail})`}. ${answersText(rawScore)}.`;
}

/** The overview as Markdown that chats and issue trackers show. Without comments: what is posted, no erasure reaches. */
export function digest(project: string, period: Period, surveys: readonly SurveyOverview[]): string {
  return [
    `**${plain(project)}**, ${periodText(period)}, against as much time before`,
    "",
    plain(verdict(surveys)),
    "",
    ...byUrgency(surveys).map(line),
  ].join("\n");
}
