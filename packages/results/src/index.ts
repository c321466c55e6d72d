export { notesOf, previous, type Comparison } from "./changes.ts";
export { funnelText } from "./funnel.ts";
export { groupingName, groupingOf, groupings, type Grouping } from "./groupings.ts";
export { failuresText, queueText } from "./queue-state.ts";
export { digest } from "./overview.ts";
export { readReport } from "./read-report.ts";
export { readResults, type Results, type ResultsQuery } from "./read-results.ts";
export { pageMark, pageStyle } from "./report-assets.ts";
export { pagePolicy, reportPage } from "./report-page.ts";
export {
  countText,
  intervalText,
  isolated,
  minuteText,
  scoreText,
  shareText,
  valueText,
  warningText,
  withoutPersonText,
} from "./results-text.ts";
export { score, scored, type Score } from "./score.ts";
export { type GroupResults, type SurveyResults } from "./survey-results.ts";
export { momentOf, periodOf, usualPeriod, zonedText, type Period } from "./period.ts";
export { watchedScore, type WatchedScore, type WatchedSide } from "./watched-score.ts";
export { weightedScore, weightsOf, type AnsweredClass } from "./weights.ts";
export { utc } from "./zone.ts";
