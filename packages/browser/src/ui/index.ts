export { showSurvey } from "./mount.ts";
