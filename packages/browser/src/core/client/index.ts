export type { Afterword } from "./afterword.ts";
export { clientOfPage, commandsOf, type Call, type PageClient } from "./client-of-page.ts";
export type { Loaders } from "./survey-schedule.ts";
