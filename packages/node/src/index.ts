import { Client, type AfterwordOptions } from "./client.ts";

/**
 * The client of a customer's server: `new Afterword({ secretKey, baseUrl })`, or without arguments where
 * `AFTERWORD_SECRET_KEY` and `AFTERWORD_BASE_URL` are set. Runs wherever `fetch` does, except in browsers.
 */
export class Afterword extends Client {
  constructor(options: AfterwordOptions = {}) {
    super(options, {
      // Edge runtimes have no `process`.
      variables: globalThis.process?.env ?? {},
      scope: globalThis,
      fetch: (input, init) => globalThis.fetch(input, init),
      now: Date.now,
      random: Math.random,
    });
  }
}

export { type AckSummary } from "./acknowledge.ts";
export { type AfterwordOptions, type Minted } from "./client.ts";
export { AbortError } from "./errors/abort-error.ts";
export { AfterwordError } from "./errors/afterword-error.ts";
export { ApiError } from "./errors/api-error.ts";
export { ConfigurationError } from "./errors/configuration-error.ts";
export { ConnectionError } from "./errors/connection-error.ts";
export { TimeoutError } from "./errors/timeout-error.ts";
export { type Logger } from "./http/logger.ts";
export { type CallOptions } from "./http/transport.ts";
export { type PendingScores, type PendingScoresOptions, type PendingScoresPage } from "./pending-scores.ts";
export { type SecretKey } from "./secret-key.ts";
export { type MintBody, type PendingScore, type ScoreResult } from "@afterword/protocol";
