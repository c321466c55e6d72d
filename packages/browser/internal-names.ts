/**
 * Names of members that never leave the core: the build shortens them in the files that pages load, always to the
 * same letters, because those files talk to each other. Nothing of the wire, of a public interface, of the seam to
 * the view or of the browser may stand here.
 */
const internalNames = [
  "AfterwordError",
  "askedName",
  "asking",
  "begin",
  "consentChanged",
  "current",
  "definitions",
  "drafts",
  "drain",
  "drop",
  "emit",
  "hasBegun",
  "identity",
  "installed",
  "isBusy",
  "isByPerson",
  "isHeadless",
  "isLinked",
  "isPractice",
  "isPrivate",
  "keepToken",
  "leave",
  "load",
  "mayTakeFocus",
  "names",
  "opened",
  "newId",
  "options",
  "page",
  "post",
  "publicly",
  "read",
  "refuse",
  "remove",
  "report",
  "retryAfterInMs",
  "stop",
  "store",
  "view",
  "wasAsked",
  "whyNot",
  "write",
];

// Capitals first: brotli likes them better here, for the small ones are the names of terser's variables.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export const mangleProps = new RegExp(`^(${internalNames.join("|")})$`);
export const mangleCache = Object.fromEntries(internalNames.map((name, at) => [name, letters[at]!]));
