/** Loaded once a survey may be shown. One file, because every survey that is asked is drawn. */
export { Asking } from "./core/asking.ts";
export { showSurvey } from "./ui/index.ts";
