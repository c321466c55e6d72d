import type { Handled, Sent } from "./network.ts";
import { dayInMs } from "./surveys.ts";
import type { TokenCall } from "./token-history.ts";

/** A show-token that the service has issued. */
export interface KnownToken {
  surveyId: string;
  person: string | undefined;
  sessionId: string | undefined;
  /** By the service's clock, at the earliest and at the latest. */
  issuedFrom: number;
  issuedTo: number;
  /** Tokens with the same key are one: those of one person and run of a survey that is asked in each run. */
  key: string;
}

/** A submit or dismissal, with what it says and what became of it. */
export interface Call extends TokenCall {
  token: string;
  surveyId: string;
  person: string;
  sessionId: string | undefined;
  rating: number | undefined;
  text: string | undefined;
  /** When it was stored, by the service's clock. */
  at?: number;
}

export interface Erasure {
  person: string;
  startedAt: number;
  /** Absent while it is not known to have happened. */
  endedAt?: number;
}

/** Words of which each text has its own, so that they can be found wherever they are. */
export const wordsPattern = /words-\d+-end/g;

export const wordsOf = (text: string | null | undefined) => [...(text?.match(wordsPattern) ?? [])];

/** How often the service says of a used token whether an answer is the stored one; for a day ("What was stored" in the contract). */
const mostComparisons = 3;

/** Everything that the service was asked and has answered, as the network saw it. */
export class Ledger {
  readonly tokens = new Map<string, KnownToken>();
  readonly callsByToken = new Map<string, Call[]>();
  readonly callsByPerson = new Map<string, Call[]>();
  readonly erasures: Erasure[] = [];
  /** By the words in it, whether the service has refused an answer for good. */
  readonly refusedWords = new Set<string>();
  /**
   * Those whose 409 did not have to say whether they are what is stored, and which were sent before, so that the page counts
   * them as stored (decision D131).
   */
  readonly uncomparedWords = new Set<string>();
  /** How often each was sent, whether or not it arrived. */
  readonly #sends = new Map<string, number>();
  readonly #open = new WeakMap<Handled, Call | Erasure>();

  sent({ url, text }: Sent): void {
    if (url.pathname !== "/v1/sdk/responses") return;
    for (const words of wordsOf(text)) this.#sends.set(words, 1 + (this.#sends.get(words) ?? 0));
  }

  started(handled: Handled): void {
    const { method, url, text, startedAt } = handled;
    if (method === "DELETE") {
      const erasure = { person: url.searchParams.get("respondentId") ?? "", startedAt };
      this.erasures.push(erasure);
      this.#open.set(handled, erasure);
    }
    if (url.pathname === "/v1/sdk/responses" || url.pathname === "/v1/dismissals")
      this.#startCall(handled, text);
  }

  #startCall(handled: Handled, text: string): void {
    const body = JSON.parse(text) as Record<string, unknown>;
    const token = String(body["showToken"]);
    const known = this.tokens.get(token);
    const does = handled.url.pathname === "/v1/dismissals" ? "dismiss" : "submit";
    const call: Call = {
      does,
      token,
      content: does === "submit" ? JSON.stringify([body["rating"], body["text"] ?? ""]) : "",
      startedAt: handled.startedAt,
      endedAt: Infinity,
      surveyId: String(body["surveyId"]),
      person: known?.person ?? String(body["userId"]),
      sessionId: known?.sessionId,
      rating: body["rating"] as number | undefined,
      text: body["text"] as string | undefined,
    };
    const key = known?.key ?? token;
    this.callsByToken.set(key, [...(this.callsByToken.get(key) ?? []), call]);
    this.callsByPerson.set(call.person, [...(this.callsByPerson.get(call.person) ?? []), call]);
    this.#open.set(handled, call);
  }

  /** Takes over what the service has answered. Returns the call that it was, if any. */
  ended(handled: Handled): Call | Erasure | undefined {
    const open = this.#open.get(handled);
    if (open && "token" in open) this.#endCall(open, handled);
    else if (open && handled.status === 200) open.endedAt = handled.endedAt!;
    if (handled.status === 200) this.#learnTokens(handled);
    return open;
  }

  #endCall(call: Call, { status = 0, json = {}, endedAt = 0, wallAtStart }: Handled): void {
    const existing = json["existing"] as
      { id: string; at: string; kind: "response"; isSame?: boolean } | undefined;
    call.endedAt = endedAt;
    call.mayBeErased = this.mayBeErased(call.person, endedAt);
    if (status === 201) {
      call.reply = { result: "stored", id: String(json["id"]) };
      call.at = Date.parse(String(json["at"]));
    } else if (json["code"] === "token_used") {
      call.reply = { result: "used", ...existing };
      // Also calls without a reply, which the service may have compared.
      const compared = this.callsByToken
        .get(this.keyOf(call))!
        .filter(({ reply }) => reply === undefined || reply.isSame !== undefined);
      const isOld = wallAtStart > Date.parse(existing?.at ?? "") + dayInMs;
      const isUncompared = existing?.kind === "response" && existing.isSame === undefined;
      if (isUncompared && (isOld || compared.length >= mostComparisons))
        for (const words of wordsOf(call.text))
          if (this.#sends.get(words)! > 1) this.uncomparedWords.add(words);
    } else this.#forget(call);
    if (status >= 400 && ![408, 425, 429].includes(status) && status < 500)
      wordsOf(call.text).forEach((words) => this.refusedWords.add(words));
  }

  /** It had no effect. */
  #forget(call: Call): void {
    for (const calls of [this.callsByToken.get(this.keyOf(call)), this.callsByPerson.get(call.person)])
      calls?.splice(calls.indexOf(call), 1);
  }

  keyOf({ token }: Call): string {
    return this.tokens.get(token)?.key ?? token;
  }

  #learnTokens({ url, text, json = {}, wallAtStart, startedAt, endedAt = 0 }: Handled): void {
    const tokens = (json["tokens"] ?? json["showTokens"]) as Record<string, string> | undefined;
    if (!tokens) return;
    const { respondentId, sessionId, userId } = JSON.parse(text || "{}") as Record<string, string>;
    const person = respondentId ?? userId;
    for (const [surveyId, token] of Object.entries(tokens)) {
      const key = surveyId === "runs" ? `${person} ${sessionId}` : token;
      const issuedTo = wallAtStart + endedAt - startedAt;
      const known = { surveyId, person, sessionId, issuedFrom: wallAtStart, issuedTo, key };
      if (url.pathname !== "/v1/sdk/tokens") known.sessionId = undefined;
      this.tokens.set(token, known);
    }
  }

  /** Whether an erasure of the person had begun by then. */
  mayBeErased(person: string, by: number): boolean {
    return this.erasures.some((erasure) => erasure.person === person && erasure.startedAt <= by);
  }

  /** Whether an erasure that has happened began after the call was answered. */
  isErased(call: Call, by = Infinity): boolean {
    const isAfter = ({ person, startedAt, endedAt = Infinity }: Erasure) =>
      person === call.person && startedAt > call.endedAt && endedAt < by;
    return this.erasures.some(isAfter);
  }

  *calls(): Generator<Call> {
    for (const calls of this.callsByToken.values()) yield* calls;
  }

  /** What was stored for certain. */
  *stored(): Generator<Call> {
    const seen = new Set<string>();
    for (const call of this.calls()) {
      const { reply } = call;
      if (reply?.result !== "stored" || seen.has(reply.id!)) continue;
      seen.add(reply.id!);
      yield call;
    }
  }
}
