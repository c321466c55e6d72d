import type { EraseQuery, EraseReply, ExportQuery, ExportRow } from "@afterword/protocol";
import { JSONParser } from "@streamparser/json";
import { AbortError, ConfigurationError, ConnectionError } from "../errors/afterword-error.ts";
import type { CallOptions, Transport } from "../http/transport.ts";
import type { Clock } from "../options/clock.ts";
import { eraseEverywhere } from "./erase-everywhere.ts";
import type { EraseEverywhereOptions, EraseEverywhereReport } from "./erase-everywhere.ts";

/** One person, by id, by the e-mail address of an import, or both; also narrowed to one survey (decisions D100, D101). */
export type EraseRespondent = { surveySlug?: string; account?: never } & (
  { respondentId: string; email?: string } | { email: string; respondentId?: string }
);

/** All responses of a survey. */
export interface EraseSurvey {
  surveySlug: string;
  respondentId?: never | undefined;
  email?: never | undefined;
  account?: never | undefined;
}

/** Everything of the project. */
export interface EraseAccount {
  account: true;
  respondentId?: never | undefined;
  email?: never | undefined;
  surveySlug?: never | undefined;
}

/** What to erase. Ambiguous combinations do not compile. */
export type EraseSelector = EraseRespondent | EraseSurvey | EraseAccount;

/** What an export reports besides its rows. */
export interface ExportSummary {
  projectId: string;
  /** RFC 3339, the time of the snapshot. */
  exportedAt: string;
  count: number;
}

/** Stored responses, row by row as they arrive. Each iteration is a new export. */
export interface ExportedResponses extends AsyncIterable<ExportRow> {
  /** Set once the last iteration has ended; `undefined` before. */
  readonly summary: ExportSummary | undefined;
}

/** Timeout of an erase, which takes a while in a large project. */
const eraseTimeoutInMs = 120_000;

/** Requests of data subjects: export and erasure. */
export interface Privacy {
  /**
   * Exports responses, row by row: of one person, of one survey, or without a query of the whole project.
   * Rows hold personal data.
   */
  export(query?: ExportQuery, options?: CallOptions): ExportedResponses;
  /** Erases a person's responses, a survey's, or with `{ account: true }` everything. Cannot be undone. */
  erase(selector: EraseSelector, options?: CallOptions): Promise<EraseReply>;
  /**
   * Erases a person's responses here and their scores at the sinks; takes two minutes unless no forwarder runs.
   * @example
   * await new Afterword().privacy.eraseEverywhere({ respondentId: "user-17" }, { sinks: [phoenix()] });
   */
  eraseEverywhere(selector: EraseRespondent, options: EraseEverywhereOptions): Promise<EraseEverywhereReport>;
}

export function createPrivacy(transport: Transport, clock: Clock): Privacy {
  const privacy: Privacy = {
    export: (query, options) => exportResponses(transport, clock, query, options),
    async erase(selector, options) {
      const call = { timeoutInMs: eraseTimeoutInMs, ...options };
      return transport.json("DELETE /v1/privacy/erase", { query: { ...eraseQuery(selector) } }, call);
    },
    eraseEverywhere(selector, options) {
      eraseQuery(selector);
      const responses = {
        export: (call: CallOptions) => privacy.export({ ...selector }, call),
        erase: (call: CallOptions) => privacy.erase(selector, call),
      };
      return eraseEverywhere(responses, clock, options);
    },
  };
  return privacy;
}

/** One export per project runs at a time and others wait for it, so the first byte may take long. */
const exportTimeoutInMs = 300_000;
/** Once it has begun, the service sends without pausing. */
const longestSilenceInMs = 60_000;

const key = "GET /v1/privacy/export";

/** The pieces of a body. Throws if one does not arrive in time. */
async function* chunksOf(response: Response, silenceInMs: number, clock: Clock): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const arrived = new AbortController();
      const silence = clock.sleep(silenceInMs, arrived.signal);
      const chunk = await Promise.race([reader.read(), silence]).finally(() => arrived.abort());
      if (chunk === undefined) throw new Error(`silent for ${silenceInMs} ms`);
      if (chunk.done) return;
      yield chunk.value;
    }
  } finally {
    // A caller that stops early must not leave the server sending.
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Exports the responses of a person, a survey or the project as a stream of rows, at flat memory. `timeoutInMs` (default:
 * five minutes) is how long the first byte may take; later pieces may take as long, and at most a minute. Throws a
 * `ConnectionError` when the stream breaks off or falls silent: the rows given until then are not the whole export.
 */
function exportResponses(
  transport: Transport,
  clock: Clock,
  query: ExportQuery = {},
  options: CallOptions = {},
): ExportedResponses {
  let summary: ExportSummary | undefined;
  refuseEmpty("export", query);

  async function* rows(): AsyncGenerator<ExportRow> {
    summary = undefined;
    const call = { timeoutInMs: exportTimeoutInMs, ...options };
    const response = await transport.stream(key, { query: { ...query } }, call);
    const parser = new JSONParser({
      paths: ["$.projectId", "$.exportedAt", "$.count", "$.responses.*"],
      keepStack: false,
    });
    const fields: Partial<ExportSummary> = {};
    const arrived: ExportRow[] = [];
    let seen = 0;
    parser.onValue = ({ key: name, value, stack }) => {
      // Fields of the reply are one level down, rows two levels.
      if (stack.length > 1) arrived.push(value as unknown as ExportRow);
      else Object.assign(fields, { [String(name)]: value });
    };
    try {
      const silenceInMs = Math.min(options.timeoutInMs ?? longestSilenceInMs, longestSilenceInMs);
      for await (const chunk of chunksOf(response, silenceInMs, clock)) {
        parser.write(chunk);
        seen += arrived.length;
        yield* arrived.splice(0);
      }
      if (!parser.isEnded) parser.end();
      const { projectId, exportedAt, count } = fields;
      // A server that fails midway can only break off.
      if (count !== seen) throw new RangeError(`${seen} of ${count} rows`);
      summary = { projectId: String(projectId), exportedAt: String(exportedAt), count };
    } catch (error) {
      if (options.signal?.aborted) throw new AbortError(`${key} was aborted`, { cause: error });
      // oxlint-disable-next-line preserve-caught-error -- the parser's message may quote what a person wrote
      throw new ConnectionError(`${key} broke off after ${seen} rows; these are not the whole export`);
    }
  }

  return {
    [Symbol.asyncIterator]: rows,
    get summary() {
      return summary;
    },
  };
}

const selectors = ["respondentId", "email", "surveySlug", "account"];

/**
 * The query of a selector. Throws a `ConfigurationError` for an empty selector before anything is sent: an id that is
 * `undefined` by mistake must not leave the survey's slug alone, which would erase all its responses.
 */
function eraseQuery(selector: EraseSelector): EraseQuery {
  const { account, ...query } = selector;
  const names = Object.keys(selector);
  const unknown = names.find((name) => !selectors.includes(name));
  if (unknown !== undefined) throw new ConfigurationError(`erase has no selector "${unknown}".`);
  if (names.length === 0)
    throw new ConfigurationError("erase needs respondentId, email, surveySlug or account: true.");
  if (account !== true) refuseEmpty("erase", selector);
  else if (names.length > 1)
    throw new ConfigurationError("erase with account: true erases everything and takes no other selector.");
  return account ? { account: "true" } : (query as EraseQuery);
}

/** An id that is `undefined` by mistake must not export or erase the whole project. */
function refuseEmpty(call: "export" | "erase", query: object): void {
  for (const [name, value] of Object.entries(query)) {
    if (name !== "account" && typeof value === "string" && value !== "") continue;
    throw new ConfigurationError(
      `${call} was given ${name} without a value; nothing was ${call === "erase" ? "erased" : "exported"}.`,
    );
  }
}
