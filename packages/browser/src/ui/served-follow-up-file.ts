import type { FetchFollowUp } from "./follow-up-file.ts";

/** As in `follow-up-file.ts`, for files that are served as they are: from beside the script, in its version. */
export const fetchFollowUp: FetchFollowUp = (load) =>
  (load as unknown as (name: string) => ReturnType<FetchFollowUp>)("afterword-follow-up");
