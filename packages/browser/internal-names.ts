/**
 * Names of members that never leave the core: the build shortens them in the files that pages load, always to the
 * same letters, because those files talk to each other. Without it a page loads 290 bytes of brotli more.
 * `test/architecture/shortened-names.test.ts` asks the compiler that no use of them is about a member of the browser,
 * the language or the wire. Nothing of a public interface and nothing that a file exports may stand here either.
 */
export const namesOfCore = [
  "AfterwordError",
  "askedName",
  "asking",
  "workWith",
  "consentChanged",
  "current",
  "definitions",
  "drafts",
  "drain",
  "drop",
  "emit",
  "hasBegun",
  "identity",
  "place",
  "isBusy",
  "isByPerson",
  "soon",
  "run",
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
  "stop",
  "store",
  "useWords",
  "view",
  "wasAsked",
  "whyNot",
  "about",
  "hold",
  "leaveBehind",
  "leavePage",
  "loadWords",
  "rated",
  "reportError",
  "takeBack",
  "words",
  "write",
  "remember",
  "requestedAt",
  "grant",
  "isHeadless",
  "tokenNow",
  "checkTargeting",
  "begin",
  "languageMissing",
  "isOver",
  "isLinked",
  "closed",
  "proceed",
];

/** Names that never leave the files that draw. Nothing of the seam to the core may stand here. */
export const namesOfView = [
  "act",
  "announce",
  "announcement",
  "flow",
  "hasRating",
  "isWarned",
  "onRate",
  "word",
  "drawnFrom",
  "stage",
  "followUp",
];

// Capitals first: brotli likes them better here, for the small ones are the names of terser's variables.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZtesinroadhclufygpwkvmbxjqz";

const shortened = (names: string[]) => ({
  mangleProps: new RegExp(`^(${names.join("|")})$`),
  mangleCache: Object.fromEntries(
    names.map((name, at) => [name, letters[at] ?? `${letters[at - letters.length]}_`]),
  ),
});

export const ofCore = shortened(namesOfCore);
export const ofWidget = shortened([...namesOfCore, ...namesOfView]);
