import type { MintBody } from "@afterword/protocol";
import type { Client, Minted } from "../client.ts";
import { AfterwordError } from "../errors/afterword-error.ts";
import { silentLogger, type Logger } from "../http/logger.ts";
import { watchEnd } from "./watch-end.ts";

/** A mint and the session it belongs to: what the page's `install` needs. */
export interface Feedback extends Minted {
  sessionId: string;
  observationId?: string;
  taskType?: string;
}

/** A run with its feedback on the way. */
export interface RunWithFeedback<Result> {
  /** What the agent gave; a stream still streams. */
  result: Result;
  /**
   * The tokens, once the run has ended well (a stream: once it was read to its end). `undefined` when it did not, when
   * there is nothing to ask about, or when minting failed. Never rejects; a stream that nobody reads leaves it open.
   */
  feedback: Promise<Feedback | undefined>;
}

export interface WithFeedbackOptions<Arguments extends readonly unknown[], Result> {
  client: Pick<Client, "mint">;
  /**
   * Whom to ask about which session, from the server's own knowledge; `undefined` for nobody. Called when the run has
   * ended well.
   */
  session: (
    result: Awaited<Result>,
    ...given: Arguments
  ) => MintBody | undefined | Promise<MintBody | undefined>;
  /**
   * For a result that is no stream itself but stands for one, or that is read in a way of its own (as by
   * `toReadableStream()` or `finalMessage()`): a promise that fulfils when the run has ended well and rejects when not,
   * for example `(result) => result.text`. Default: `ReadableStream`, `Response` and async iterables are watched as they
   * are read, anything else has ended.
   */
  end?: (result: Awaited<Result>) => PromiseLike<unknown>;
  logger?: Logger;
}

/**
 * Wraps an agent's run so that it mints when the run has ended well. The result is neither changed nor delayed, a
 * failed run fails as before and mints nothing, and a failed mint costs the run nothing.
 */
export function withFeedback<Arguments extends readonly unknown[], Result>(
  run: (...given: Arguments) => Result,
  { client, session, end, logger = silentLogger }: WithFeedbackOptions<Arguments, Result>,
): (...given: Arguments) => Promise<RunWithFeedback<Awaited<Result>>> {
  async function mint(result: Awaited<Result>, given: Arguments): Promise<Feedback | undefined> {
    try {
      const body = await session(result, ...given);
      if (!body) return undefined;
      const { sessionId, observationId, taskType } = body;
      return { ...(await client.mint(body)), sessionId, observationId, taskType };
    } catch (error) {
      const reason = AfterwordError.isInstance(error) ? error.message : "session() failed";
      logger.warn(`minting after a run failed: ${reason}`);
      return undefined;
    }
  }

  return async (...given) => {
    const onUnwatchable = () => logger.warn("the result of a run cannot be watched; nothing is minted");
    const { result, ended } = watchEnd(await run(...given), end, onUnwatchable);
    const feedback = ended.then((well) => (well ? mint(result, given) : undefined));
    return { result, feedback };
  };
}
