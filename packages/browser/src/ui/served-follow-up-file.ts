import type { FetchFollowUp } from "./follow-up-file.ts";

/** Replaces `follow-up-file.ts` in bundles served as built: loads from beside the script, in its version. */
export const fetchFollowUp: FetchFollowUp = (load) =>
  (load as unknown as (name: string) => ReturnType<FetchFollowUp>)("afterword-follow-up");
