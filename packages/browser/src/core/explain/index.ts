export { whyNotTargeted } from "@afterword/protocol/targeting";
export { explain } from "./explain.ts";
export { mute } from "./mute.ts";
export { reportJoined, reportOptions, reportUserId } from "./report-options.ts";
export { failureOf, reportReply, type Failure } from "./report-reply.ts";
