export type { Submission } from "./outbox-entry.ts";
export { Outbox } from "./outbox.ts";
export { responsesPath, submissionOf, type AskToken } from "./submission.ts";
