export { startDev, type DevOptions, type RunningDev } from "./start-dev.ts";
