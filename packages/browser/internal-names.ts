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
  "read",
  "refuse",
  "forget",
  "report",
  "retryAfterInMs",
  "stop",
  "store",
  "useWords",
  "view",
  "wasAsked",
  "whyNot",
  "about",
  "explain",
  "hold",
  "leaveBehind",
  "leavePage",
  "loadWords",
  "rated",
  "reportError",
  "takeBack",
  "tellReply",
  "tellSecretKey",
  "words",
  "write",
];

/** Names that never leave the files that draw. Nothing of the seam to the core may stand here. */
const namesOfView = [
  "act",
  "announce",
  "announcement",
  "flow",
  "hasRating",
  "isRound",
  "isWarned",
  "offersContact",
  "onEdit",
  "onRate",
  "word",
  "places",
  "drawnFrom",
  "stage",
];

// Capitals first: brotli likes them better here, for the small ones are the names of terser's variables.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZtesinroadhclufygpwkvmbxjqz";

const shortened = (names: string[]) => ({
  mangleProps: new RegExp(`^(${names.join("|")})$`),
  mangleCache: Object.fromEntries(
    names.map((name, at) => [name, letters[at] ?? `${letters[at - letters.length]}_`]),
  ),
});

export const ofCore = shortened(internalNames);
export const ofWidget = shortened([...internalNames, ...namesOfView]);
