import type { ShowSurvey } from "../core/public/index.ts";
import { mount } from "./mount.ts";

/** Draws a survey into this page. Loaded only when one is about to show. */
export const showSurvey: ShowSurvey = (options) => mount(options, window);
