export { AfterwordError, requireText, type AfterwordErrorCode } from "./afterword-error.ts";
export {
  createEmitter,
  type AboutShown,
  type AboutSurvey,
  type AfterwordEventName,
  type AfterwordEvents,
  type AfterwordListener,
  type Emitter,
  type NotShownReason,
  type Reporting,
} from "./events.ts";
