export { createRate, type Rate } from "./rate.ts";
