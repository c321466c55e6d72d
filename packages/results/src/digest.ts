import { answersText, intervalText, valueText, warningText } from "./results-text.ts";
import { type Project } from "@afterword/reference-server/internal";
import { askedFor } from "./changes.ts";
import { isolated } from "./isolated.ts";
import { type Results, type ResultsQuery } from "./read-results.ts";
import { zonedText } from "./period.ts";
import { byUrgency, movementOf, overviewsOf, whatChanged, type SurveyOverview } from "./overview.ts";

const signs = { down: "▼ ", up: "▲ ", unclear: "", unknown: "" };

/** A text as itself, on one line, whatever Markdown would make of it. */
const plain = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>#|~!]/g, "\\$&");

function line({ question, results, change }: SurveyOverview, isAsked: boolean): string {
  const { score, rawScore } = results;
  if (rawScore.n === 0) return `- **${plain(question)}** No answers.`;
  const { direction, words, detail } = movementOf(change);
  const warning = warningText(score);
  // The first of several differences: those that are found come first.
  const name = isAsked && change ? `${plain(isolated(change.to.name))}: ` : "";
  return `- **${plain(question)}** ${valueText(score)}${warning ? `, ${warning}` : `, likely ${intervalText(score)}`}. ${name}${signs[direction]}${words}${detail && ` (${detail})`}. ${answersText(rawScore)}.`;
}

/** The overview as Markdown that chats and issue trackers show. Without comments: what is posted, no erasure reaches. */
export function digest(project: Project, query: ResultsQuery, results: Results): string {
  const surveys = overviewsOf(project, results);
  const asked = askedFor(query, results.changes);
  return [
    `**${plain(project.name)}**, ${zonedText(query)}, against ${plain(asked?.against ?? "as much time before")}`,
    "",
    plain(whatChanged(surveys, asked)),
    "",
    ...byUrgency(surveys).map((one) => line(one, asked !== undefined)),
  ].join("\n");
}
