import type { PostPath } from "@afterword/protocol";
import type { Context } from "../context/index.ts";
import type { Reply } from "../service/index.ts";

// Limit of all keepalive bodies together (64 KiB by the Fetch standard), here without their keys.
const mostKeptAliveInBytes = 65_000;

/** What an answer can do without, in the order in which it is left out. */
const dispensable = ["traits", "text"];

/**
 * Returns a function that sends requests which outlive the page, as far as the browser allows; it returns whether this one
 * does, and its reply. `mustLast`: the page may end now, and no later one sends it: a body that is too large leaves out the
 * traits, and then the text.
 */
export function createKeepalivePost({ page, post }: Pick<Context, "page" | "post">) {
  let keptAliveInBytes = 0;
  const sizeOf = (body: object) => new page.Blob([JSON.stringify(body)]).size;
  const fits = (body: object) => keptAliveInBytes + sizeOf(body) <= mostKeptAliveInBytes;
  return (path: PostPath, body: object, mustLast?: boolean) => {
    for (const name of dispensable) if (mustLast && !fits(body)) body = { ...body, [name]: undefined };
    const outlivesPage = fits(body);
    // In an app without a page, bodies have the size 0, and no request is kept alive.
    const size = outlivesPage ? sizeOf(body) : 0;
    keptAliveInBytes += size;
    const release = (reply: Reply) => {
      keptAliveInBytes -= size;
      return reply;
    };
    return [outlivesPage, post(path, body, !!size).then(release)] as const;
  };
}
