export { createRate } from "./rate.ts";
export { createVote, emptyLine } from "./run-votes.ts";
