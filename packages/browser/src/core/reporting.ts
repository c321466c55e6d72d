import type { AfterwordError } from "./afterword-error.ts";
import type { Emitter } from "./events.ts";

/** What it takes to tell the host page of a failure: lent, so that pages load the code of errors once. */
export interface Reporting extends Pick<Emitter, "report"> {
  AfterwordError: typeof AfterwordError;
}
