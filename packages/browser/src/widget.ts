/** What is loaded once a survey may be shown: one file, because every survey that is asked is drawn. */
export { Asking } from "./core/asking.ts";
export { showSurvey } from "./ui/index.ts";
