import type { AfterwordError } from "./afterword-error.ts";
import type { Emitter } from "./events.ts";

/** Reports failures to the host page. Shared, so that pages load the code of errors once. */
export interface Reporting extends Pick<Emitter, "report"> {
  AfterwordError: typeof AfterwordError;
}
