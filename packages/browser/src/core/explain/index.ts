export { explain, whyNotTargeted } from "./explain.ts";
export { failureOf, type Failure } from "./failure-of.ts";
export { mute } from "../identity/index.ts";
export { reportJoined, reportOptions, reportUserId } from "./report-options.ts";
export { reportReply } from "./report-reply.ts";
