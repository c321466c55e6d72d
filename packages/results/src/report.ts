// Apart from the rest, since the library that draws the plots takes a while to load.
export { pagePolicy, reportPage } from "./report-page.ts";
