import type { AskingParts } from "./asking-parts.ts";
import type { Post } from "./request.ts";

// Limit of all keepalive bodies together (64 KiB by the Fetch standard), here without their keys.
const mostKeptAliveInBytes = 65_000;

/** Sends keepalive requests, as far as the browser allows. */
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
