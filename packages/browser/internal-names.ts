/**
 * Members internal to the core. The build shortens them in the files that pages load, always to the same letters, as
 * those files call each other. Without it a page loads 290 bytes of brotli more.
 * `test/architecture/shortened-names.test.ts` checks with the compiler that none is used as a member of the browser,
 * the language or the wire format. Members of public interfaces and exports of a file must not be listed either.
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
  "atRisk",
  "sendChosen",
  "sendLast",
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
  "blocked",
];

/** Members internal to the UI. No member of its interface to the core may be listed. */
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
];

// Capitals first: they compress better here, because terser names its variables in lower case.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZtesinroadhclufygpwkvmbxjqz";

const shortened = (names: string[]) => ({
  mangleProps: new RegExp(`^(${names.join("|")})$`),
  mangleCache: Object.fromEntries(
    names.map((name, at) => [name, letters[at] ?? `${letters[at - letters.length]}_`]),
  ),
});

export const ofCore = shortened(namesOfCore);
export const ofWidget = shortened([...namesOfCore, ...namesOfView]);
