import type { Context } from "../context/index.ts";
import type { Post, Reply } from "../service/index.ts";

// Limit of all keepalive bodies together (64 KiB by the Fetch standard), here without their keys.
const mostKeptAliveInBytes = 65_000;

/** What an answer can do without, in the order in which it is left out. */
const dispensable = ["traits", "text"];

/**
 * Sends requests that outlive the page, as far as the browser allows; returns whether this one does, and its reply.
 * `mustLast`: the page may end now, and no later one sends it: a body that is too large leaves out all but the rating.
 */
export type KeepalivePost = (
  path: Parameters<Post>[0],
  body: object,
  mustLast?: boolean,
) => [outlivesPage: boolean, reply: Promise<Reply>];

export function createKeepalivePost({ page, post }: Pick<Context, "page" | "post">): KeepalivePost {
  let keptAliveInBytes = 0;
  const sizeOf = (body: object) => new page.Blob([JSON.stringify(body)]).size;
  const fits = (body: object) => keptAliveInBytes + sizeOf(body) <= mostKeptAliveInBytes;
  return (path, body, mustLast) => {
    for (const name of dispensable) if (mustLast && !fits(body)) body = { ...body, [name]: undefined };
    const outlivesPage = fits(body);
    // An app's bodies have no size: its requests do not outlive it.
    const size = outlivesPage ? sizeOf(body) : 0;
    keptAliveInBytes += size;
    const release = (reply: Reply) => {
      keptAliveInBytes -= size;
      return reply;
    };
    return [outlivesPage, post(path, body, !!size).then(release)];
  };
}
