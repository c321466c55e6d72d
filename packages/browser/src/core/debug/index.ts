export { explain, whyNotTargeted } from "./explain.ts";
export { mute } from "./mute.ts";
export { reportOptions } from "./report-options.ts";
export { reportReply } from "./report-reply.ts";
