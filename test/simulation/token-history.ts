/** What a client asked of a token, when the service worked on it, and what it answered; nothing if it was killed meanwhile. */
export interface TokenCall {
  does: "submit" | "dismiss";
  /** Rating and text, to compare with what was stored. */
  content: string;
  startedAt: number;
  endedAt: number;
  reply?: TokenReply;
  /** Whether the record that used the token may be erased by the time of the reply. */
  mayBeErased?: boolean;
}

export interface TokenReply {
  /** `stored` also for a dismissal that repeats another one. */
  result: "stored" | "used";
  id?: string;
  kind?: "response" | "dismissal";
  isSame?: boolean;
}

/** What a token was used by. */
interface Use {
  kind: "response" | "dismissal";
  id: string | undefined;
  content: string;
}

/** The state after a call, if the reply is what the contract (section 3.1) gives in this state; else `false`. */
function after(use: Use | undefined, { does, content, reply, mayBeErased }: TokenCall): Use | false {
  const kind = does === "submit" ? "response" : "dismissal";
  if (use === undefined) {
    if (reply && reply.result !== "stored") return false;
    return { kind, id: reply?.id, content };
  }
  if (!reply) return use;
  const isOther = reply.id !== undefined && use.id !== undefined && reply.id !== use.id;
  if (isOther || (reply.kind !== undefined && reply.kind !== use.kind)) return false;
  const isRepeated = does === "dismiss" && use.kind === "dismissal";
  if (reply.result === "stored") return isRepeated && { ...use, id: use.id ?? reply.id };
  if (isRepeated && !mayBeErased) return false;
  if (reply.isSame !== undefined && reply.isSame !== (use.content === content)) return false;
  return { ...use, id: use.id ?? reply.id };
}

const mostWays = 200_000;

/**
 * Whether there is an order of the calls, each somewhere between its beginning and its end, in which every reply is right:
 * linearizability (Herlihy and Wing, 1990), by the search of Wing and Gong (1993) with the states that were tried remembered.
 * Calls without a reply may have happened at any time after their beginning, or never.
 */
export function isLinearizable(calls: readonly TokenCall[]): boolean {
  const tried = new Set<string>();
  let ways = 0;
  const search = (left: readonly number[], use: Use | undefined): boolean => {
    if (left.every((index) => !calls[index]!.reply)) return true;
    const key = `${left.join()} ${use?.kind} ${use?.id} ${use?.content}`;
    if (tried.has(key)) return false;
    tried.add(key);
    if (++ways > mostWays) throw new Error("A token has too many calls at once to be checked.");
    // No call may come before one that had ended when it began.
    const firstEnd = Math.min(
      ...left.map((index) => (calls[index]!.reply ? calls[index]!.endedAt : Infinity)),
    );
    return left.some((index) => {
      const call = calls[index]!;
      if (call.startedAt > firstEnd) return false;
      const next = after(use, call);
      return (
        next !== false &&
        search(
          left.filter((other) => other !== index),
          next,
        )
      );
    });
  };
  return search(
    calls.map((_, index) => index),
    undefined,
  );
}
