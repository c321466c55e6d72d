// For the packages that leave this one; it goes with the last of them.
export { timestamp } from "./domain/ids-and-times.ts";
export { type Project } from "./domain/project-directory.ts";
export { type Service } from "./domain/service.ts";
export { UsageError } from "./domain/usage-error.ts";
export { type SurveyRecord } from "./store/project.ts";
export {
  dayOf,
  firstMonday,
  hourOf,
  importedMark,
  ofPage,
  runMark,
  weekInMs,
  type AnswerRow,
  type Comment,
  type Dimension,
  type DismissalTally,
  type Key,
  type MeasuredAnswer,
  type QueueReport,
  type ResultsReader,
  type ResultsSelection,
  type RunCountKind,
  type RunCountTally,
} from "./store/store.ts";
