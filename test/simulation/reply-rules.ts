import type { GatingConfig } from "@afterword/reference-server";
import { assertRule, RuleBroken } from "./rule-broken.ts";
import type { Call, Ledger } from "./ledger.ts";
import type { Handled } from "./network.ts";
import { againAfterInMs, dayInMs, mostOfFew, surveyIds, type SurveyId } from "./surveys.ts";
import { isLinearizable } from "./token-history.ts";

const leewayInMs = 60_000;
const boundForInMs = 7 * dayInMs;
const unboundForInMs = dayInMs;

export interface RuleContext {
  ledger: Ledger;
  gating: { quietPeriodInMs?: number; monthlyCap?: number };
  /** Whether the service's clock was set back, so that tokens may come from its future. */
  wasSetBack: boolean;
}

export const gatingOf = ({ quietPeriod, monthlyCap }: GatingConfig): RuleContext["gating"] => ({
  ...(quietPeriod !== undefined && { quietPeriodInMs: Number.parseInt(quietPeriod, 10) * 3_600_000 }),
  ...(monthlyCap !== undefined && { monthlyCap }),
});

const titleOf = ({ method, url, status, json }: Handled) =>
  `${method} ${url.pathname} was answered with ${status} ${JSON.stringify(json)?.slice(0, 200)}`;

/** What holds of each single reply of the service. */
export function checkReply(context: RuleContext, handled: Handled, call: Call | undefined): void {
  const { status = 0, url } = handled;
  assertRule(status < 500 || status === 503, "the service fails only with 503", () => titleOf(handled));
  if (status === 503 || status === 429)
    assertRule(
      Number(handled.replyHeaders?.get("retry-after")) >= 1,
      "a 503 or 429 says when to come again",
      () => titleOf(handled),
    );
  if (handled.method === "DELETE" && status === 200) checkEraseCounts(context, handled);
  if (call) checkTokenReply(context, handled, call);
  if (status !== 200) return;
  if (url.pathname === "/v1/sdk/tokens" || url.pathname === "/v1/sdk/bootstrap") checkIssue(context, handled);
  if (url.pathname === "/v1/sdk/pending-scores") checkListing(context, handled);
  if (url.pathname === "/v1/privacy/export") checkExport(context, handled);
}

function checkTokenReply({ ledger, wasSetBack }: RuleContext, handled: Handled, call: Call): void {
  const { json = {}, wallAtStart, startedAt, endedAt = 0 } = handled;
  const known = ledger.tokens.get(call.token);
  if (!known) return;
  const lifetimeInMs = (known.sessionId === undefined ? unboundForInMs : boundForInMs) + leewayInMs;
  const wallAtEnd = wallAtStart + endedAt - startedAt;
  if (call.reply) {
    const isExpired = wallAtStart > known.issuedTo + lifetimeInMs;
    assertRule(!isExpired, "an expired token is refused", () => titleOf(handled));
    const history = ledger.callsByToken.get(known.key)!;
    assertRule(
      isLinearizable(history.toSorted((one, other) => one.startedAt - other.startedAt)),
      "the calls of a token have an order in which each reply is right",
      () => history.map((one) => `${one.does} ${one.content} ${JSON.stringify(one.reply)}`).join("; "),
    );
  }
  const { id } = (json["existing"] ?? {}) as { id?: string };
  const named = ledger.callsByToken.get(known.key)?.find(({ reply }) => id !== undefined && reply?.id === id);
  if (named && ledger.isErased(named, startedAt))
    throw new RuleBroken("a refusal does not name an erased record", titleOf(handled));
  if (json["code"] === "token_expired")
    assertRule(wallAtEnd > known.issuedFrom + lifetimeInMs, "a token is valid until it expires", () =>
      titleOf(handled),
    );
  if (json["code"] === "token_invalid")
    assertRule(
      wasSetBack || wallAtEnd > known.issuedFrom + 30 * dayInMs,
      "a token that the service has issued is valid",
      () => titleOf(handled),
    );
}

const dayBefore = (at: number) => at - (at % dayInMs);

/** What a person has answered or dismissed: for certain before a moment, and perhaps until another, which requests may share. */
function recordsOf({ ledger }: RuleContext, person: string, before: number, until: number) {
  const calls = ledger.callsByPerson.get(person) ?? [];
  const stored = calls.filter(({ reply, endedAt }) => reply?.result === "stored" && endedAt < before);
  // A repeated dismissal is one record.
  const byId = new Map(stored.map((call) => [call.reply!.id, call]));
  const isErased = ledger.mayBeErased(person, until);
  // An erasure cuts times to days (decision O93).
  const certain = [...byId.values()].map((call) => ({
    ...call,
    at: isErased ? dayBefore(call.at!) : call.at!,
  }));
  const possible = calls.filter(({ reply, startedAt }) => reply?.result !== "used" && startedAt <= until);
  return { certain, possible };
}

function checkIssue(context: RuleContext, handled: Handled): void {
  const { ledger } = context;
  const { text, json = {}, startedAt, endedAt = 0, url, wallAtStart } = handled;
  const { respondentId, userId, sessionId, surveyId } = JSON.parse(text || "{}") as Record<string, string>;
  const person = respondentId ?? userId;
  if (person === undefined) return;
  const tokens = (json["tokens"] ?? json["showTokens"] ?? {}) as Record<string, string>;
  const isBound = url.pathname === "/v1/sdk/tokens";
  const { certain, possible } = recordsOf(context, person, startedAt, endedAt);
  const now = wallAtStart + endedAt - startedAt;
  for (const id of surveyIds.filter((id) => surveyId === undefined || surveyId === id)) {
    const why = whyNot(context, { person, id, sessionId, isBound, certain, now, startedAt });
    if (why)
      assertRule(
        tokens[id] === undefined,
        "nobody is asked against the rules",
        () => `${person} ${id}: ${why}`,
      );
    // It is unprompted: what was answered elsewhere does not gate it.
    const mayCount = id === "runs" ? possible.filter(({ surveyId }) => surveyId === id) : possible;
    const isFree =
      mayCount.length === 0 && (isBound || id !== "runs") && (id !== "few" || mayHaveRoom(ledger, handled));
    if (isFree && !why)
      assertRule(
        tokens[id] !== undefined,
        "a person may be asked if nothing they have answered forbids it",
        () => `${person} ${id}`,
      );
  }
}

interface Question {
  person: string;
  id: SurveyId;
  sessionId: string | undefined;
  isBound: boolean;
  certain: readonly (Call & { at: number })[];
  now: number;
  startedAt: number;
}

/** Why there must be no token, as far as that is certain. */
function whyNot(context: RuleContext, question: Question): string | undefined {
  const { id, certain, now, isBound, sessionId, startedAt } = question;
  const { ledger, gating } = context;
  if (id === "runs" && !isBound) return "it is asked in runs alone";
  const own = certain.filter(({ surveyId }) => surveyId === id);
  const isErased = own.some((call) => ledger.isErased(call, startedAt));
  if (isErased) return "the person was erased";
  if ((id === "once" || id === "few") && own.length > 0) return "it was answered or dismissed";
  if (id === "runs" && own.some((call) => call.sessionId === sessionId)) return "the run was answered";
  if (id === "runs" && own.some(({ does, at }) => does === "dismiss" && at > now - 7 * dayInMs))
    return "it was dismissed within seven days";
  if (id === "again" && own.some(({ at }) => at > now - againAfterInMs)) return "it was answered lately";
  if (id === "few" && fewAnswers(ledger, startedAt) >= mostOfFew)
    return "it has all the answers that it wants";
  if (id === "runs") return undefined;
  const prompted = certain.filter(({ surveyId }) => surveyId !== "runs").map(({ at }) => at);
  const { quietPeriodInMs = -Infinity, monthlyCap = Infinity } = gating;
  if (prompted.some((at) => at > now - quietPeriodInMs)) return "the quiet period lasts";
  const inMonth = prompted.filter((at) => at > now - 30 * dayInMs);
  return inMonth.length >= monthlyCap ? "the monthly cap is reached" : undefined;
}

/** At least so many. */
function fewAnswers(ledger: Ledger, before: number): number {
  let count = 0;
  for (const { does, surveyId, person, endedAt } of ledger.stored())
    if (does === "submit" && surveyId === "few" && endedAt < before && !ledger.mayBeErased(person, before))
      count++;
  return count;
}

/** Whether there are certainly fewer answers than the survey wants. */
function mayHaveRoom(ledger: Ledger, { startedAt, endedAt = 0 }: Handled): boolean {
  let most = 0;
  for (const call of ledger.calls()) {
    const isAnswer = call.does === "submit" && call.surveyId === "few" && call.reply?.result !== "used";
    if (isAnswer && call.startedAt <= endedAt && !ledger.isErased(call, startedAt)) most += 1;
  }
  return most < mostOfFew;
}

interface Listed {
  id: string;
  sessionId: string | null;
  rating: number | null;
  text: string | null;
}

export const sameAs = (call: Call, { sessionId, rating, text }: Listed) =>
  sessionId === (call.sessionId ?? null) && rating === call.rating && (text ?? "") === (call.text ?? "");

function checkListing({ ledger }: RuleContext, { json = {}, startedAt }: Handled): void {
  const scores = json["scores"] as Listed[];
  if (scores.length === 0) return;
  const byId = new Map([...ledger.stored()].map((call) => [call.reply!.id!, call]));
  for (const score of scores) {
    const call = byId.get(score.id);
    if (!call) continue;
    if (ledger.isErased(call, startedAt)) throw new RuleBroken("an erased score is not listed", score.id);
    assertRule(sameAs(call, score), "a score is listed as it was answered", () =>
      JSON.stringify([call, score]),
    );
  }
}

function checkExport({ ledger }: RuleContext, { json = {}, url, startedAt, endedAt = 0 }: Handled): void {
  const person = url.searchParams.get("respondentId");
  const exported = new Set((json["responses"] as Listed[]).map(({ id }) => id));
  for (const call of ledger.callsByPerson.get(person ?? "") ?? []) {
    const isStored = call.does === "submit" && call.reply?.result === "stored" && call.endedAt < startedAt;
    if (!isStored || ledger.mayBeErased(call.person, endedAt)) continue;
    assertRule(exported.has(call.reply!.id!), "an export has every answer of the person", () => call.content);
  }
}

/** An erasure counts what it deletes: at least what was there for certain. */
function checkEraseCounts(
  { ledger }: RuleContext,
  { json = {}, url, startedAt, endedAt = 0 }: Handled,
): void {
  const calls = ledger.callsByPerson.get(url.searchParams.get("respondentId") ?? "") ?? [];
  // Besides this one: the network repeats requests, and of two at once either may delete.
  const mayBeGone = ({ person, endedAt: storedAt }: Call) =>
    ledger.erasures.filter(
      (one) => one.person === person && one.startedAt > storedAt && one.startedAt <= endedAt,
    ).length > 1;
  const there = calls.filter(
    (call) => call.reply?.result === "stored" && call.endedAt < startedAt && !mayBeGone(call),
  );
  for (const [does, field] of [
    ["submit", "responsesDeleted"],
    ["dismiss", "dismissalsDeleted"],
  ] as const) {
    const ids = new Set(there.filter((call) => call.does === does).map(({ reply }) => reply!.id));
    assertRule(
      Number(json[field]) >= ids.size,
      "an erasure counts what it deletes",
      () => `${field} ${String(json[field])} of ${ids.size}`,
    );
  }
}
