export { createRate } from "./rate.ts";
