export type { Inline } from "./inline-surveys.ts";
