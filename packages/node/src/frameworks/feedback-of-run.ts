import type { HandedOverRun, MintBody, MintedRun, RunFacts } from "@afterword/protocol";
import { factLimits } from "@afterword/protocol/limits";
import type { Client, Minted } from "../client/client.ts";
import { AfterwordError, ConfigurationError, TimeoutError } from "../errors/afterword-error.ts";
import { isObject } from "../options/json.ts";
import { whenAborted } from "../options/clock.ts";
import { runReference } from "../scores/run-reference.ts";

/** A mint and the run it belongs to: what the page's `install` needs. */
export interface Feedback extends Minted, HandedOverRun {}

/** A run and its pending feedback. */
export interface RunWithFeedback<Run> {
  /** The run as it was given; a stream still streams, and a promise is still one. */
  result: Run;
  /**
   * The tokens, once the run has ended well (a stream: once it was read to its end). `undefined` when it failed, when
   * minting failed, or when it cannot be watched. Never rejects; a stream that is never read leaves it pending.
   */
  feedback: Promise<Feedback | undefined>;
}

/** A run, or the promise of one. Nothing without members is a run. */
export type GivenRun<Run> = keyof Run extends never ? never : Run;

/** What every `withFeedback` takes. The ids come from your server's own data, never from a page. */
export interface FeedbackOptions {
  client: Pick<Client, "mint">;
  /** The person to ask. */
  respondentId?: string | undefined;
  /** The session of the run in the observability service. */
  sessionId?: string | undefined;
  /** Default: the span that is active when `withFeedback` is called (`runReference.current()`). */
  observationId?: string | undefined;
  taskType?: string | undefined;
  /** Ask only with this survey. Default: all active surveys. */
  surveyId?: string | undefined;
  /** The agent's version and facts about the run; they go before those that the framework knows. */
  run?: MintedRun | undefined;
  /** `false`: send only what `run` says, and not what the framework knows (finish reason, steps, tokens, model). */
  facts?: false | undefined;
  /** Also mint for a run that failed or did not finish. Default `false`. */
  mintAfterFailure?: boolean | undefined;
  /** How long minting may take once the run has ended, in milliseconds. Default 2000. */
  timeoutInMs?: number | undefined;
  /** Called with the tokens of each run, for hosts that deliver them in their own way. */
  onFeedback?: ((feedback: Feedback) => void) | undefined;
  /** Called when nothing was minted for a run although it should have been. Default: a warning on the console. */
  onError?: ((error: Error) => void) | undefined;
}

/** How a run ended, and what its framework knows about it. */
export interface RunEnd extends Pick<FeedbackOptions, "sessionId" | "observationId"> {
  well: boolean;
  /**
   * Reads what the framework knows about the run: `finishReason` in its own words, `steps` (calls of the model),
   * `toolErrors`, `inputTokens`, `outputTokens`, `costInUsd`, and the `model` of the last step. What it throws decides nothing.
   */
  facts?: () => object;
  /** Why it cannot be known whether the run ended well. */
  problem?: Error;
  /** The same run may go on with another turn, which ends again. */
  mayContinue?: boolean;
}

/**
 * Watches a run of one framework: calls `end` when it has ended, or with the promise of its end, which rejects when the run
 * fails. Returns the run, or what to read instead of it.
 */
export type WatchRun = (
  run: unknown,
  end: (runEnd: RunEnd | Promise<RunEnd>) => void,
  feedback: Promise<Feedback | undefined>,
) => unknown;

const watchedRuns = new WeakSet<object>();

/**
 * The core of every `withFeedback`: watches a run, or the promise of one, and mints once it has ended well.
 * Throws a `ConfigurationError` for a run that it cannot watch; after that a run is never delayed nor broken.
 */
export function feedbackOfRun<Run>(
  run: Run,
  options: FeedbackOptions,
  watch: WatchRun,
): RunWithFeedback<Run> {
  checkIsRun(run);
  const observationId = runReference.current();
  const feedback = Promise.withResolvers<Feedback | undefined>();
  let hasEnded = false;
  const end = (runEnd: RunEnd | Promise<RunEnd>) => {
    // A stream may tell its end again; nobody waits for that promise, which may reject.
    if (hasEnded) return void Promise.allSettled([runEnd]);
    hasEnded = !("mayContinue" in runEnd);
    const mint = (known: RunEnd) => mintedFor({ observationId, ...known }, options);
    feedback.resolve("well" in runEnd ? mint(runEnd) : runEnd.then(mint, () => mint({ well: false })));
  };
  const failed = (error: unknown) => {
    end({ well: false });
    throw error;
  };
  const result = isPromise(run)
    ? run.then((settled) => watch(settled, end, feedback.promise), failed)
    : watch(run, end, feedback.promise);
  return { result: result as Run, feedback: feedback.promise };
}

function checkIsRun(run: unknown): asserts run is object {
  if (typeof run === "function")
    throw new ConfigurationError("withFeedback takes a run, not a function: pass what the function returns.");
  if (!isObject(run))
    throw new ConfigurationError(
      "withFeedback takes a run or the promise of one, such as a stream: not its text.",
    );
  if (watchedRuns.has(run))
    throw new ConfigurationError(
      "withFeedback was called twice for one run. Call it once, and use its `result`.",
    );
  watchedRuns.add(run);
}

const isPromise = (run: unknown): run is Promise<unknown> =>
  isObject(run) && "then" in run && typeof run.then === "function";

/** Never rejects: a failure is reported, and what the host's own callbacks throw is not the run's concern. */
async function mintedFor(runEnd: RunEnd, options: FeedbackOptions): Promise<Feedback | undefined> {
  const { client, mintAfterFailure = false, timeoutInMs, onFeedback } = options;
  if (!runEnd.well && !mintAfterFailure) {
    if (runEnd.problem) reportProblem(runEnd.problem, options);
    return undefined;
  }
  try {
    const body = bodyOf(runEnd, options);
    const { sessionId, observationId, taskType } = body;
    const minted = await inTime((signal) => client.mint(body, { signal }), timeoutInMs);
    const feedback = { ...minted, sessionId, observationId, taskType };
    onFeedback?.(feedback);
    return feedback;
  } catch (error) {
    reportProblem(error as Error, options);
    return undefined;
  }
}

function bodyOf(runEnd: RunEnd, { taskType, surveyId, ...options }: FeedbackOptions): MintBody {
  const given = (name: "respondentId" | "sessionId", value = options[name]): string => {
    if (value !== undefined) return value;
    throw new ConfigurationError(`withFeedback: the run has no ${name}. Pass \`${name}\` to withFeedback.`);
  };
  return {
    respondentId: given("respondentId"),
    sessionId: given("sessionId", options.sessionId ?? runEnd.sessionId),
    observationId: options.observationId ?? runEnd.observationId,
    taskType,
    surveyId,
    run: attestedRun(options.run, options.facts === false ? {} : knownOf(runEnd)),
  };
}

function knownOf({ well, facts }: RunEnd): object {
  try {
    return { endedWell: well, ...facts?.() };
  } catch {
    return { endedWell: well };
  }
}

/** Whether a value is a fact. Frameworks change shapes, and some give an empty text for what they do not know. */
const isFact = (value: unknown): value is RunFacts[string] =>
  (typeof value === "string" && value !== "") || typeof value === "boolean" || Number.isFinite(value);

const fits = (facts: RunFacts) =>
  Object.keys(facts).length <= factLimits.facts &&
  new TextEncoder().encode(JSON.stringify(facts)).length <= factLimits.bytes;

/**
 * What a mint says about its run: what the host gives, then what its framework knows, as far as the limits allow. Nothing if
 * nothing is known. Names of models may be cut; what the host gives is not, so that the service refuses what is too long.
 */
function attestedRun(given: MintedRun | undefined, known: object): MintedRun | undefined {
  const facts: RunFacts = { ...given?.facts };
  for (const [name, value] of Object.entries(known)) {
    if (!isFact(value) || Object.hasOwn(facts, name)) continue;
    const fact = typeof value === "string" ? value.slice(0, factLimits.textLength) : value;
    if (fits({ ...facts, [name]: fact })) facts[name] = fact;
  }
  return Object.keys(facts).length > 0 ? { ...given, facts } : given;
}

/** How long minting may take once a run has ended: its stream may stay open for that long. */
const mintTimeoutInMs = 2000;

/** Rejects with a `TimeoutError` when a mint has not settled in time, even if it ignores the signal. */
export function inTime<Reply>(
  mint: (signal: AbortSignal) => Promise<Reply>,
  timeoutInMs: number = mintTimeoutInMs,
): Promise<Reply> {
  const signal = AbortSignal.timeout(timeoutInMs);
  const late = whenAborted(signal).then(() => {
    throw new TimeoutError(`minting after a run: no reply within ${timeoutInMs} ms`);
  });
  return Promise.race([mint(signal), late]);
}

/** What a page gets of a mint: nothing that only the server needs to know. */
export const handedOver = ({ tokens, sessionId, observationId, taskType }: HandedOverRun): HandedOverRun => ({
  tokens,
  sessionId,
  observationId,
  taskType,
});

/** Reports why nothing was minted: to the host's `onError`, else as a warning on the console. Never throws. */
export function reportProblem(problem: unknown, { onError }: { onError?: (error: Error) => void }): void {
  const error = problem instanceof Error ? problem : new Error(String(problem));
  try {
    if (onError) onError(error);
    // An error of the host's own code may quote personal data; the package's own never do.
    else if (AfterwordError.isInstance(error)) console.warn(`@afterword/node: ${error.message}`);
    else console.warn(`@afterword/node: nothing was minted: ${error.name}. onError gets the error.`);
  } catch {
    // Reporting is the host's own code: it must not break the run.
  }
}

export type { Minted };
