import { Webhook } from "standardwebhooks";
import { defineSink } from "../scores/sink.ts";
import type { DeliverableScore, ErasableScore, ErasureOutcome, Outcome, Sink } from "../scores/sink.ts";
import type { Logger } from "../options/logger.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { eachScore, erasuresAtOnce } from "./http-sink.ts";
import { publicFetch, type PublicFetchOptions } from "./public-fetch.ts";
import { type HttpSinkOptions, type SinkReply, sinkRequests } from "./sink-request.ts";
import { isPage, statusOutcome } from "./status-outcome.ts";

/** What `webhook` takes, beside the limits of every HTTP sink and which private addresses it may reach. */
export interface WebhookOptions extends Omit<HttpSinkOptions, "fetch">, PublicFetchOptions {
  /** The URL that scores are posted to. Path and query stay out of logs, since they may contain a secret. */
  url: string;
  /**
   * Standard Webhooks signing secret: `whsec_` and base64. Pass several to rotate: each message has a signature of each.
   */
  secret: string | readonly string[];
  /** Warned of a secret that is too short. Default: the console. */
  logger?: Pick<Logger, "warn"> | undefined;
}

/** Standard Webhooks asks for 24 to 64 random bytes. */
const shortestSecretInBytes = 24;

/**
 * Posts signed messages to your own URL, by the Standard Webhooks specification. `webhook-id` is the response's id, by
 * which the receiver recognises a repetition. Private addresses are refused when connecting, unless allowed, and
 * redirects are not followed.
 * @example
 * const sink = webhook({ url: "https://example.com/ratings", secret: "whsec_…" });
 */
export function webhook(options: WebhookOptions): Sink {
  const { url, secret, clock = Date.now, logger = console } = options;
  const { origin, pathname, search } = checkUrl(url);
  const signers = [secret].flat().map(signer);
  if ([secret].flat().some((one) => sizeInBytes(one) < shortestSecretInBytes)) logger.warn(shortSecret);
  if (signers.length === 0) throw new ConfigurationError("Sink webhook needs a signing secret.");
  const send = sinkRequests(
    { name: "webhook", baseUrl: origin },
    { ...options, fetch: publicFetch(options) },
  );

  async function post(id: string, type: string, data: object, signal: AbortSignal): Promise<SinkReply> {
    const sentAt = new Date(clock());
    const body = { type, timestamp: sentAt.toISOString(), data };
    const payload = JSON.stringify(body);
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
      "webhook-signature": signers.map((one) => one.sign(id, sentAt, payload)).join(" "),
    };
    const path = pathname + search;
    return await send({ method: "POST", path, logPath: origin, headers, body }, signal);
  }

  async function deliverOne(score: DeliverableScore, signal: AbortSignal): Promise<Outcome> {
    const reply = await post(score.id, "afterword.rating", score, signal);
    if (isTaken(reply)) return { outcome: "delivered" };
    return reply.code === "EPRIVATEADDRESS"
      ? { outcome: "fatal", reason: `${reply.reason}; ${howToAllow}` }
      : statusOutcome(reply, () => false);
  }

  async function eraseOne(score: ErasableScore, signal: AbortSignal): Promise<ErasureOutcome> {
    const reply = await post(`${score.id}.erased`, "afterword.rating.erased", score, signal);
    return isTaken(reply) ? { outcome: "erased" } : { outcome: "failed", reason: reply.reason };
  }

  return defineSink({
    name: "webhook",
    deliver: (scores, { signal }) => eachScore(scores, (score) => deliverOne(score, signal)),
    eraseScores: (scores, { signal }) =>
      eachScore(scores, (score) => eraseOne(score, signal), erasuresAtOnce),
  });
}

/** In Standard Webhooks any 2xx is success, whatever its body; an HTML page comes from a portal in between. */
const isTaken = (reply: SinkReply) => reply.status >= 200 && reply.status < 300 && !isPage(reply.body);

const howToAllow =
  "the address is not public; set allowPrivateAddresses (AFTERWORD_WEBHOOK_ALLOW_PRIVATE=true) to allow it";

function checkUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new ConfigurationError("Sink webhook needs a url that begins with https:// or http://.");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new ConfigurationError(
      "The url of the webhook must not contain a user or a password; the signature authenticates the sender.",
    );
  }
  return parsed;
}

const sizeInBytes = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ""), "base64").length;

const shortSecret =
  `webhook: the signing secret has fewer than ${shortestSecretInBytes} bytes, so that signatures can be forged by guessing it. ` +
  'Make a new one: echo "whsec_$(openssl rand -base64 32)".';

function signer(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw new ConfigurationError("The signing secret of the webhook must be whsec_ followed by base64.");
  }
}
