// For tests of what operators and results read from a database.
export { openStore } from "./postgres/open-store.ts";
export { type OperatedStore } from "./store/administration.ts";
