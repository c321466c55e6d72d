import type { AskingParts } from "./asking-parts.ts";
import type { Post } from "./request.ts";

// Requests that outlive the page may carry this much, all of them together (Fetch standard), here without their keys.
const mostKeptAliveInBytes = 65_000;

/** Sends by requests that outlive the page, as far as the browser allows. */
export function createLastingPost({ page, post }: Pick<AskingParts, "page" | "post">): Post {
  let keptAliveInBytes = 0;
  return async (path, body) => {
    let { size } = new page.Blob([JSON.stringify(body)]);
    if (keptAliveInBytes + size > mostKeptAliveInBytes) size = 0;
    keptAliveInBytes += size;
    const reply = await post(path, body, !!size);
    keptAliveInBytes -= size;
    return reply;
  };
}
