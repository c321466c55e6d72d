export { submissionOf, type AskToken, type Submission } from "./outbox-entry.ts";
export { Outbox } from "./outbox.ts";
