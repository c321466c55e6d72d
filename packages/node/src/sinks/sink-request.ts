import { isRetryableStatus } from "@afterword/protocol/retryable-status";
import { environmentFetch } from "../http/environment-fetch.ts";
import { retryAfterInMs } from "../http/retry-after.ts";
import { checkedBaseUrl } from "../options/checked-option.ts";
import { member, parseJson } from "../options/json.ts";

/** Options of every HTTP sink; all have defaults. */
export interface HttpSinkOptions {
  /** Default: the runtime's `fetch`, by way of the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds since 1970. Default `Date.now`. */
  clock?: (() => number) | undefined;
  /** Limit for one request, from its start to the end of the response. Default 10,000. */
  timeoutInMs?: number | undefined;
}

export interface SinkRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Appended to the base URL, from `/`. */
  path: string;
  /** Replaces a path that contains a secret in reasons. Default: the path without its query. */
  logPath?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Whether the request only reads, which says nothing about writes. Default: whether the method is `GET`. */
  isLookUp?: boolean;
}

export interface SinkReply {
  /** 0 without a response. */
  status: number;
  /** The parsed JSON, or the text if it is not JSON. */
  body?: unknown;
  afterInMs?: number;
  /** Whether the whole service is unavailable, not this request alone. */
  isForAll: boolean;
  /** Contains method, path, status and request id, and nothing else. */
  reason: string;
  /** Why there was no response, such as `ECONNRESET`. */
  code?: string;
}

const noReply = (reason: string, code?: string): SinkReply => ({ status: 0, isForAll: true, reason, code });

export interface SinkAddress {
  name: string;
  baseUrl: string;
  /** Returns the headers with the key, called before each request. */
  headers?: () => Promise<Record<string, string>>;
}

export type SendToSink = (request: SinkRequest, signal: AbortSignal) => Promise<SinkReply>;

const json = "application/json";
const largestReplyInBytes = 1_048_576;
/** At a random failure rate of one in ten, five failures in a row happen once in 100,000 requests. */
const faultsInARow = 5;

/**
 * Makes a sink's HTTP client: one attempt, no redirect (following one would send the key to another host), a bounded
 * response, and no exceptions. The forwarder retries.
 */
export function sinkRequests(
  sink: SinkAddress,
  { fetch = environmentFetch(), timeoutInMs = 10_000, clock = Date.now }: HttpSinkOptions = {},
): SendToSink {
  const { href } = checkedBaseUrl(`The base URL of sink ${sink.name}`, sink.baseUrl);
  const base = href.replace(/\/+$/, "");
  let faults = 0;
  /** A 500 concerns only its request, unless it says when to come back or five follow each other. */
  const isForAll = (status: number, afterInMs: number | undefined, isLookUp: boolean): boolean => {
    if (status === 500) faults += 1;
    // A successful read says nothing about writes.
    else if (!isLookUp && !isRetryableStatus(status)) faults = 0;
    return isRetryableStatus(status) && (status !== 500 || afterInMs !== undefined || faults >= faultsInARow);
  };
  return async (request, signal) => {
    const { method, path, logPath, headers, body, isLookUp = method === "GET" } = request;
    const what = `${sink.name}: ${method} ${logPath ?? path.split("?")[0]}`;
    let own: Record<string, string> | undefined;
    try {
      own = await sink.headers?.();
    } catch (error) {
      return noReply(`${sink.name}: could not load its key: ${networkCode(error)}`);
    }
    const timeout = AbortSignal.timeout(timeoutInMs);
    try {
      const response = await fetch(base + path, {
        method,
        headers: { ...own, accept: json, ...(body !== undefined && { "content-type": json }), ...headers },
        body: JSON.stringify(body),
        redirect: "manual",
        signal: AbortSignal.any([signal, timeout]),
      });
      const { status } = response;
      const read = jsonOrText(await readAtMost(response, largestReplyInBytes));
      const afterInMs = retryAfterInMs(response.headers.get("retry-after"), clock());
      return {
        status,
        body: read,
        afterInMs,
        isForAll: isForAll(status, afterInMs, isLookUp),
        reason: `${what} answered ${status}${requestIdOf(response)}`,
      };
    } catch (error) {
      if (signal.aborted) return noReply(`${what} was aborted`);
      if (timeout.aborted) return noReply(`${what} had no answer within ${timeoutInMs} ms`);
      const code = networkCode(error);
      return noReply(`${what} failed: ${code}`, code);
    }
  };
}

function jsonOrText(text: string): unknown {
  // Many replies have no body, and an exception costs more than the rest of the request.
  const body = text === "" ? undefined : parseJson(text);
  return body === undefined ? text : body;
}

/** By which the service finds its own log. Nothing of the body is repeated: even a code may quote the person's words. */
function requestIdOf(response: Response): string {
  const requestId = response.headers.get("x-request-id") ?? "";
  return /^[\w.-]{1,64}$/.test(requestId) ? ` (request ${requestId})` : "";
}

/** A network error's message may quote a header; its code cannot. */
function networkCode(error: unknown): string {
  const paths = [["cause", "code"], ["code"], ["cause", "name"], ["name"]];
  const known = paths.map((path) => member(error, ...path)).find((value) => typeof value === "string");
  return known ?? "unknown error";
}

/** Reads a response as text. A longer one is cut off, so that a server cannot fill this process's memory. */
async function readAtMost(response: Response, largestInBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeInBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeInBytes += chunk.byteLength;
    if (sizeInBytes > largestInBytes) break;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
