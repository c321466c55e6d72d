// Apart from the rest: what results read from a database, without what they compute.
export { measuredAnswers, type MeasuredAnswer, type MeasuredSelection } from "./store/measured-answers.ts";
export { countedQueueDepth, resultsReader } from "./store/results-queries.ts";
export { type ResultsReader, type ResultsStore, type RunCountTally } from "./store/results-reader.ts";
export { sqliteResults } from "./store/sqlite-results.ts";
export { QueryConnection } from "./store/query-connection.ts";
export { queriesOf, type Queries, type QueryRunner, type Schema } from "./store/schema.ts";
