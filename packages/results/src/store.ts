// Apart from the rest: what results read from a database, without what they compute.
export { measuredAnswers, type MeasuredAnswer, type MeasuredSelection } from "./store/measured-answers.ts";
export { countedQueueDepth } from "./store/queue-report.ts";
export { resultsReader } from "./store/results-queries.ts";
export { type ResultsReader, type RunCountTally } from "./store/results-reader.ts";
export { type ResultsStore } from "./store/results-store.ts";
export { sqliteResults } from "./store/sqlite-results.ts";
