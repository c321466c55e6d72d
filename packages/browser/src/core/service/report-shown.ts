import type { BootstrapReply } from "@afterword/protocol";
import type { Post } from "./post.ts";

/** Returns what to call once a survey was seen; `undefined` if the service does not want to know. */
type ReportShown = (
  definitions: Partial<BootstrapReply> | undefined,
  tokenNow: () => string,
) => (() => void) | undefined;

/** Reports each token once, without a retry: only a number depends on it. */
export function createReportShown({ post }: { post: Post }): ReportShown {
  const reported = new Set<string>();
  return (definitions, tokenNow) => {
    if (!definitions?.reports?.includes?.("shown")) return undefined;
    return () => {
      const showToken = tokenNow();
      if (reported.has(showToken)) return;
      reported.add(showToken);
      void post("/v1/shown", { showToken }, true);
    };
  };
}
