export type * from "./survey-texts.ts";
export type * from "./survey-view.ts";
