import { type BootstrapReply, type MintReply, type ScoreResult } from "@afterword/protocol";
import { type DevConfig, type DevProject } from "./dev-config.ts";
import { type DevLog } from "./dev-log.ts";
import { mintReasons } from "./dev-reasons.ts";

/** Answers a request; the bindings are the adapter's. */
export type Answer = (request: Request, bindings: object) => Promise<Response>;

/** Begins the respondent ids of the page's own previews. */
export const previewPrefix = "preview-";

/** The fields of bodies that the log mentions. It never has a token, a key or a text. */
interface Body {
  userId?: string | null;
  respondentId?: string;
  surveyId?: string;
  sessionId?: string;
  rating?: number;
  results?: ScoreResult[];
}

type Line = [kind: string, text: string] | undefined;
type Describe = (body: Body, reply: object, project: DevProject) => Line;

/** Which surveys got a token, and why the others got none. */
function tokensText(tokens: object, reasons: readonly string[]): string {
  const ids = Object.keys(tokens);
  const given = ids.length > 0 ? `tokens for ${ids.join(", ")}` : "no token";
  return reasons.length > 0 ? `${given}; none for ${reasons.join("; ")}` : given;
}

/** Why bootstrap gave no token for a survey, which its reply does not say. */
function absenceFromBootstrap(project: DevProject, { suppression }: BootstrapReply, id: string): string {
  const survey = project.surveys.find((one) => one.id === id);
  const isEachRun = typeof survey?.askAgain === "object" && "eachRun" in survey.askAgain;
  if (isEachRun || survey?.sampling) return `${id} (asked about runs: mint on your server)`;
  return suppression.includes(id) ? `${id} (answered or closed by this respondent)` : `${id} (gated)`;
}

const describeBootstrap: Describe = (body, reply, project) => {
  const { surveys, showTokens = {} } = reply as BootstrapReply;
  const absent = surveys.map(({ id }) => id).filter((id) => !Object.hasOwn(showTokens, id));
  const inactive = project.surveys.filter(({ status }) => status !== "active");
  const reasons = [
    ...absent.map((id) => absenceFromBootstrap(project, reply as BootstrapReply, id)),
    ...inactive.map(({ id, status }) => `${id} (status is "${status}")`),
  ];
  const who = body.userId ? `for ${body.userId}` : "for an anonymous visitor";
  return ["bootstrap", `${who}: ${tokensText(showTokens, reasons)}`];
};

const describeMint: Describe = ({ respondentId, sessionId }, reply) => {
  const { tokens, reason = {} } = reply as MintReply;
  const reasons = Object.entries(reason).map(([id, why]) => `${id} (${mintReasons[why] ?? why})`);
  return ["mint", `for ${respondentId}, session ${sessionId}: ${tokensText(tokens, reasons)}`];
};

const describeAck: Describe = ({ results = [] }) => {
  const failed = results.filter(({ state }) => state === "failed");
  const ids = results.map(({ id }) => id).join(", ");
  if (failed.length === 0) return ["delivered", `score ${ids}`];
  return ["failed", `score ${ids}: ${failed[0]!.reason ?? "the sink refused it for good"}`];
};

const described: Readonly<Record<string, Describe>> = {
  "/v1/sdk/bootstrap": describeBootstrap,
  "/v1/sdk/tokens": describeMint,
  "/v1/sdk/responses": ({ surveyId, rating, sessionId }) => {
    const run = sessionId ? `session ${sessionId}` : "not linked to a session: no score is delivered";
    return ["stored", `${surveyId}: rating ${rating}, ${run}`];
  },
  "/v1/dismissals": ({ surveyId }) => ["dismissed", `${surveyId}: closed without a rating`],
  "/v1/sdk/pending-scores/ack": describeAck,
};

async function readable(message: Request | Response): Promise<object> {
  const copy = message.clone();
  return Object(await copy.json().catch(() => ({})));
}

function refusal(request: Request, path: string, status: number, reply: object): Line {
  const { code = "", detail = "" } = reply as { code?: string; detail?: string };
  const origin = request.headers.get("origin");
  const from = origin === null ? "" : ` from ${origin}`;
  return ["refused", `${request.method} ${path}${from}: ${status} ${code}. ${detail}`];
}

const longestBody = 256 * 1024;

/** The body as far as it is not too long: the service refuses one that is, whether all of it came or not. */
async function bodyOf({ body }: Request): Promise<Buffer<ArrayBuffer>> {
  let read = Buffer.alloc(0);
  for await (const chunk of body ?? []) if ((read = Buffer.concat([read, chunk])).length > longestBody) break;
  return read;
}

/** Logs what the service is asked and what it answers. @param onStored called after each stored rating */
export function watchRequests(answer: Answer, log: DevLog, config: DevConfig, onStored: () => void): Answer {
  return async (request, bindings) => {
    const { url, method, headers } = request;
    const path = new URL(url).pathname;
    const describe = described[path];
    const isReadable = method === "GET" || (method === "POST" && !headers.has("expect"));
    if (!describe || !isReadable) return answer(request, bindings);
    const bytes = await bodyOf(request);
    const sent = new Request(url, { method, headers, body: bytes.length > 0 ? bytes : null });
    const body = (await readable(sent)) as Body;
    const reply = await answer(sent, {});
    const replied = await readable(reply);
    const line = reply.ok
      ? describe(body, replied, config.project)
      : refusal(request, path, reply.status, replied);
    // Each preview bootstraps anew, which says nothing about the developer's own page.
    const isOfPreview = line?.[0] === "bootstrap" && body.userId?.startsWith?.(previewPrefix);
    if (line && !isOfPreview) log.add(...line);
    if (line?.[0] === "stored") onStored();
    return reply;
  };
}
