export { submissionOf, type OutboxEntry, type ShowToken, type Submission } from "./outbox-entry.ts";
export { Outbox } from "./outbox.ts";
