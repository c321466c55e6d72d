import { type AnyJson } from "./any-json.ts";
import { type ApiClient, type Reply } from "./api-client.ts";
import { CannotRun } from "./cannot-run.ts";
import { setup } from "./setup.ts";

/** Begins the id of every respondent of the kit, in every run. */
export const respondentPrefix = "conformance-";

/** No project of the kit's own has as much. */
const largestExportInBytes = 4 * 1024 * 1024;

/** The rows of a reply that every server of the contract gives to the right key. */
async function rowsOf(
  client: ApiClient,
  key: string,
  request: Promise<Reply>,
  field: string,
): Promise<AnyJson[]> {
  const reply = await request.catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new CannotRun(`cannot reach ${client.baseUrl}: ${code ?? message}`);
  });
  if (reply.status === 401) throw new CannotRun(`the ${key} key is refused with 401`);
  const rows = reply.json?.[field];
  if (reply.status === 200 && Array.isArray(rows)) return rows;
  const replied = `${reply.request} replied ${reply.status}`;
  throw new CannotRun(`${client.baseUrl} is no server of this contract: ${replied}`);
}

const isActive = ({ status }: { status: string }) => status === "active";

/** How many responses a project has that the kit has not made; reads no more than the kit could have. */
async function foreignResponses({ baseUrl, keys }: ApiClient): Promise<number> {
  const headers = { "x-service-key": keys.secretKey };
  const response = await fetch(`${baseUrl.replace(/\/$/, "")}/v1/privacy/export`, { headers });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > largestExportInBytes) return Infinity;
  }
  const { responses } = JSON.parse(text) as { responses: { respondentId?: string }[] };
  // Ids that differ in case or have spaces around them are respondents of clauses about exactly that.
  const isOwn = (id = "") => id.trim().toLowerCase().startsWith(respondentPrefix);
  return responses.filter(({ respondentId }) => !isOwn(respondentId)).length;
}

async function refuseProduction(client: ApiClient, which: string, others: string[]): Promise<void> {
  const foreign = others.length > 0 ? 0 : await foreignResponses(client);
  if (others.length === 0 && foreign === 0) return;
  const found = others.length > 0 ? `the survey ${others[0]}` : "responses that the kit has not made";
  throw new CannotRun(
    `the ${which}project looks like production: it has ${found}; use another, or pass --yes`,
  );
}

/** A mint stores nothing; a key of another project knows none of these surveys. */
async function checkKeysMatch(client: ApiClient, which: string, surveyId: string): Promise<void> {
  const { json } = await client.mint({ respondentId: `${respondentPrefix}examination`, surveyId });
  if (typeof json?.tokens?.[surveyId] === "string") return;
  throw new CannotRun(`the ${which}keys are not of one project: a mint gives no token for ${surveyId}`);
}

/** Checks keys and surveys, and that nothing looks like production. Writes nothing. */
async function examineProject(client: ApiClient, at: number, isSure: boolean): Promise<void> {
  const which = at === 0 ? "" : "second ";
  const listed = await rowsOf(client, `${which}publishable`, client.bootstrap(), "surveys");
  const surveys = listed.map((survey) => String(Object(survey).id));
  await rowsOf(client, `${which}secret`, client.pending({ limit: "1" }), "scores");
  const own = setup.projects[at]!.surveys.filter(isActive).map(({ id }) => id);
  const missing = own.filter((id) => !surveys.includes(id));
  const lacks = `the ${which}project lacks ${missing.join(", ")}`;
  if (missing.length > 0) throw new CannotRun(`${lacks}: define the surveys of --print-setup`);
  const others = surveys.filter((id) => !own.includes(id));
  if (!isSure) await refuseProduction(client, which, others);
  await checkKeysMatch(client, which, own[0]!);
}

/** Rejects with `CannotRun` unless the clauses may run against these projects. */
export async function examine(clients: readonly ApiClient[], isSure: boolean): Promise<void> {
  for (const [at, client] of clients.entries()) await examineProject(client, at, isSure);
}
