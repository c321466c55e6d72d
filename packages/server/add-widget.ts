import { cpSync, rmSync } from "node:fs";
import { basename } from "node:path";

// The page of `dev` shows the widget that this version of the server was tested with. It is copied here, since the two packages
// are built at the same time, and so that the server depends on no package for browsers.
const from = "../browser/dist";
const to = "dist/widget";

rmSync(to, { recursive: true, force: true });
cpSync(from, to, {
  recursive: true,
  // What bundlers and the page for links use is not needed.
  filter: (path) => !["npm", "ask", "vectors"].includes(basename(path)),
});
