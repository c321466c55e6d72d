import type { AskingParts } from "../parts/index.ts";
import type { Post, Reply } from "../service/index.ts";

// Limit of all keepalive bodies together (64 KiB by the Fetch standard), here without their keys.
const mostKeptAliveInBytes = 65_000;

/** What an answer can do without, in the order in which it is left out. */
const dispensable = ["traits", "text"];

/** Sends keepalive requests, as far as the browser allows. */
export interface KeepalivePost {
  /** `mustLast`: the page may end now, and no later one sends it: a body that is too large leaves out all but the rating. */
  (path: Parameters<Post>[0], body: object, mustLast?: boolean): Promise<Reply>;
  /** Whether the request with this body is under way and would end with the page. */
  endsWithPage(body: object): boolean;
}

export function createKeepalivePost({ page, post }: Pick<AskingParts, "page" | "post">): KeepalivePost {
  let keptAliveInBytes = 0;
  const perishable = new Set<object>();
  const sizeOf = (body: object) => new page.Blob([JSON.stringify(body)]).size;
  const fits = (body: object) => keptAliveInBytes + sizeOf(body) <= mostKeptAliveInBytes;
  const lasting: KeepalivePost = async (path, body, mustLast) => {
    for (const name of dispensable) if (mustLast && !fits(body)) body = { ...body, [name]: undefined };
    // An app's bodies have no size: its requests do not outlive it.
    const size = fits(body) ? sizeOf(body) : 0;
    if (!fits(body)) perishable.add(body);
    keptAliveInBytes += size;
    const reply = await post(path, body, !!size);
    keptAliveInBytes -= size;
    perishable.delete(body);
    return reply;
  };
  lasting.endsWithPage = (body) => perishable.has(body);
  return lasting;
}
