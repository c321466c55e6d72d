import type { ProblemCode } from "@afterword/protocol";
import type { Page } from "../page/index.ts";

/**
 * - The codes of the service, such as `token_expired`. A newer service may send others: keep a default branch.
 * - `network`: no reply from the service. `refused`: a refusal without a code.
 * - `invalid_argument`: an invalid command or option. `secret_key`: the page has a secret key; nothing is sent.
 * - `load_failed`: a file of the widget failed to load. `unexpected`: a bug in this package.
 * - `outbox_full`, `expired`: an answer was dropped because 50 others are queued, or after seven days.
 */
export type AfterwordErrorCode =
  | ProblemCode
  | "network"
  | "refused"
  | "invalid_argument"
  | "secret_key"
  | "load_failed"
  | "outbox_full"
  | "expired"
  | "unexpected";

const marker = Symbol.for("afterword.error");

/** An error for `on("error")`. The message has method, path and status, never personal data. */
export class AfterwordError extends Error {
  declare readonly [marker]: true;
  declare readonly code: AfterwordErrorCode;
  /** HTTP status; 0 without a reply, absent if nothing was sent. */
  declare readonly status?: number;
  /** The request id in the service's log. */
  declare readonly requestId?: string;

  constructor(code: AfterwordErrorCode, message: string, status?: number, requestId?: string) {
    super(message);
    Object.assign(this, { code, status, requestId, [marker]: true });
  }

  /** Also true for errors of another copy of this package in the same page. */
  static isInstance(error: unknown): error is AfterwordError {
    return !!(error as Record<symbol, unknown> | undefined)?.[marker];
  }
}

/** @throws AfterwordError that names the missing argument. */
export function requireText(names: string, ...given: unknown[]) {
  if (!given.every((text) => text && typeof text === "string")) {
    throw new AfterwordError("invalid_argument", `${names} must be text`);
  }
}

/** Why a survey is not shown: `docs/start/nothing-shows.md` says what each reason means and what to do about it. */
export type NotShownReason =
  | "consent"
  | "task"
  | "muted"
  | "unreachable"
  | "private-network"
  | "rate-limited"
  | "unavailable"
  | "unknown"
  | "manual"
  | "suppressed"
  | "targeting"
  | "sampling"
  | "gated"
  | "unlinked"
  | "busy"
  | "no-slot"
  | "load-failed"
  | "unsupported"
  | "superseded";

/** The survey of an event. */
export interface AboutSurvey {
  /** Absent if no survey has the requested slug. */
  surveyId?: string;
  slug: string;
}

/** The survey of an event, and its run if it was shown with a session-bound token. */
export interface AboutShown extends AboutSurvey {
  sessionId?: string;
  observationId?: string;
}

/** All events and their payloads. The page also gets each as a DOM event `afterword:<name>` on `document`. */
export interface AfterwordEvents {
  shown: AboutShown;
  /** A rating was chosen; it can still be changed and is not sent yet. */
  rated: AboutShown & { rating: number };
  /** An answer was given. `queued` means that it waits on this device; `delivered` follows once it is stored. */
  submitted: AboutShown & { rating: number; result: "stored" | "queued" };
  /** The person closed the survey without a rating. */
  dismissed: AboutShown;
  /** A queued answer is stored now. */
  delivered: { surveyId: string };
  /** The person is not asked until this time in milliseconds since 1970, or forever. */
  muted: { until?: number };
  /** Has the element that the page wanted to fill, if any. */
  notShown: AboutSurvey & { reason: NotShownReason; slot?: HTMLElement };
  /** The survey has left the page, for any reason. */
  closed: AboutShown;
  error: AfterwordError;
}

/** The events of `on`. */
export type AfterwordEventName = keyof AfterwordEvents;
/** Receives the payload of an event. */
export type AfterwordListener<Name extends AfterwordEventName> = (detail: AfterwordEvents[Name]) => void;

/** Tells the host page what happens. */
export type Emitter = ReturnType<typeof createEmitter>;

/** Reports failures to the host page. Shared, so that pages load the code of errors once. */
export type Reporting = Pick<Emitter, "report" | "errorOf">;

/** Calls the listeners of `on` first, then the document's. An error in one does not affect the others. */
export function createEmitter({ document, console, CustomEvent, EventTarget }: Page) {
  const target = new EventTarget();
  let isHeard = false;
  const emit = <Name extends AfterwordEventName>(name: Name, detail: AfterwordEvents[Name]) => {
    const event = new CustomEvent(`afterword:${name}`, { detail });
    target.dispatchEvent(event);
    document.dispatchEvent(event);
  };
  return {
    emit,
    /** Returns a function that removes the listener. */
    on<Name extends AfterwordEventName>(name: Name, listener: AfterwordListener<Name>) {
      const type = `afterword:${name}`;
      const onEvent = (event: Event) => listener((event as CustomEvent).detail);
      target.addEventListener(type, onEvent);
      isHeard ||= name === "error";
      return () => target.removeEventListener(type, onEvent);
    },
    errorOf: (message: string, code: AfterwordErrorCode = "invalid_argument", status?: number, id?: string) =>
      new AfterwordError(code, message, status, id),
    /** Reports a failure, also to the console without a listener or if `isAlways`. No other error leaves the widget. */
    report(error: unknown, isAlways?: boolean) {
      const known = AfterwordError.isInstance(error) ? error : new AfterwordError("unexpected", `${error}`);
      if (!isHeard || isAlways) console.warn(`afterword: ${known.message}`);
      emit("error", known);
    },
  };
}
