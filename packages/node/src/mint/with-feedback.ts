import type { MintBody } from "@afterword/protocol";
import type { Client } from "../client/client.ts";
import { AfterwordError } from "../errors/afterword-error.ts";
import { silentLogger, type Logger } from "../options/logger.ts";
import { mintForRun, type Feedback } from "./mint-for-run.ts";
import { watchEnd } from "./watch-end.ts";

/** The result of a run and its pending feedback. */
export interface RunWithFeedback<Result> {
  /** What the agent returned; a stream still streams. */
  result: Result;
  /**
   * The tokens, once the run has ended well (a stream: once it was read to its end). `undefined` when it failed, when
   * there is nothing to ask about, or when minting failed. Never rejects; a stream that is never read leaves it pending.
   */
  feedback: Promise<Feedback | undefined>;
}

export interface WithFeedbackOptions<Arguments extends readonly unknown[], Result> {
  client: Pick<Client, "mint">;
  /**
   * The person to ask and the session to ask about, from the server's own knowledge; `undefined` asks no one. Called
   * when the run has ended.
   */
  session: (
    result: Awaited<Result>,
    ...given: Arguments
  ) => MintBody | undefined | Promise<MintBody | undefined>;
  /**
   * For a result that stands for a stream, or that is read in a way of its own (such as `toReadableStream()`): a promise
   * that rejects, or fulfils with `false`, when the run failed; for example `(run) => run.completed`. Default:
   * `ReadableStream`, `Response` and async iterables are watched while they are read, a result with a `finishReason` (AI
   * SDK) ends with that, and anything else has ended. In the AI SDK a run also fails by an `error` or `abort` part, and by
   * the finish reasons `error`, `length`, `content-filter` and `tool-calls`, whatever `end` says.
   */
  end?: (result: Awaited<Result>) => PromiseLike<unknown>;
  /** Also mint for a run that returned a result and then failed. Default `false`. */
  mintAfterFailure?: boolean;
  /** How long minting may take once the run has ended, in milliseconds. Default 2000. */
  timeoutInMs?: number;
  logger?: Logger;
}

/**
 * Wraps an agent's run so that it mints when the run has ended well. The result is neither changed nor delayed, a
 * failed run fails as before and mints nothing, and a failed mint costs the run nothing.
 */
export function withFeedback<Arguments extends readonly unknown[], Result>(
  run: (...given: Arguments) => Result,
  {
    client,
    session,
    end,
    mintAfterFailure = false,
    timeoutInMs,
    logger = silentLogger,
  }: WithFeedbackOptions<Arguments, Result>,
): (...given: Arguments) => Promise<RunWithFeedback<Awaited<Result>>> {
  async function mint(result: Awaited<Result>, given: Arguments): Promise<Feedback | undefined> {
    try {
      const body = await session(result, ...given);
      return body && (await mintForRun(client, body, timeoutInMs));
    } catch (error) {
      const reason = AfterwordError.isInstance(error) ? error.message : "session() failed";
      logger.warn(`minting after a run failed: ${reason}`);
      return undefined;
    }
  }

  return async (...given) => {
    const onUnwatchable = () => logger.warn("the result of a run cannot be watched; nothing is minted");
    const { result, ended } = watchEnd(await run(...given), end, onUnwatchable);
    const feedback = ended.then((well) => (well || mintAfterFailure ? mint(result, given) : undefined));
    return { result, feedback };
  };
}
