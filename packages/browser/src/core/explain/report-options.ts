import type { AfterwordOptions, Reporting } from "../public/index.ts";
import { isMisspelt, isSecret, knownOptions } from "../public/index.ts";
import type { Page } from "../page/index.ts";

const secretKey =
  "this page contains a secret key (sk_), which every visitor can read: nothing is sent. " +
  "Use the publishable key (pk_) and revoke the secret key";

const attribute = (name: string) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const named = (name: string) => `${name} (${attribute(name)})`;

/** The name that was probably meant: the one with the longest common beginning. */
function closestOf(given: string, names: string[]): string | undefined {
  for (let length = given.length; length > 0; length--) {
    const closest = names.find((name) => name.startsWith(given.slice(0, length)));
    if (closest) return closest;
  }
}

function sentenceOf([name, value]: [string, unknown]): string {
  if (!Object.hasOwn(knownOptions, name))
    return `unknown option ${named(name)}, did you mean ${named(closestOf(name, Object.keys(knownOptions))!)}?`;
  if (name === "conversationId") return `${named(name)} takes text or a whole number, not ${typeof value}`;
  const values = knownOptions[name as "key"].split(" ");
  const closest = closestOf(`${value as string}`, values);
  const rest = closest ? `, did you mean "${closest}"?` : "";
  return `${named(name)} takes ${values.join(", ")} and not ${JSON.stringify(value)}${rest}`;
}

/**
 * Reports all misspelt options and attributes at once, each with the closest name. Reports a secret key, always in the
 * console too.
 */
export function reportOptions(context: Reporting & { page: Page; options: AfterwordOptions }) {
  const { page, options, report, errorOf } = context;
  const sentences = Object.entries(options).filter(isMisspelt).map(sentenceOf);
  if (sentences[0]) report(errorOf(sentences.join("; ")));
  if (!isSecret(options.key)) return;
  page.console.error(`afterword: ${secretKey}.`);
  report(errorOf(secretKey, "secret_key"));
}

const warned = new WeakSet<object>();

/** Warns once of a user id that is a whole number, and reports each that names nobody, in the console too; never the id. */
export function reportUserId(context: Reporting & { page: Page }, userId: unknown, isKnown: boolean) {
  const kind = userId ? typeof userId : `${userId as string}` || "empty text";
  const fault = `userId must be text or a whole number up to 2^53 (got ${kind}): nobody is identified`;
  if (!isKnown) context.report(context.errorOf(fault), true);
  else if (!warned.has(context)) {
    context.page.console.warn(
      `afterword: userId is a ${kind} and taken as text: pass the text that your server mints for.`,
    );
    warned.add(context);
  }
}

const defaults: Partial<AfterwordOptions> = {
  consent: "not-asked",
  theme: "auto",
  density: "comfortable",
  banner: "top",
  askFollowUp: "low",
};

/** Warns that a second client joined the first one of its key, if their options differ. Names options, without values. */
export function reportJoined({ console }: Page, first: AfterwordOptions, second: AfterwordOptions) {
  const valueOf = (options: AfterwordOptions, name: keyof AfterwordOptions) =>
    JSON.stringify(options[name] || defaults[name] || "").replace(/\/"$/, '"');
  const differing = (Object.keys(knownOptions) as (keyof AfterwordOptions)[]).filter(
    (name) => `${name}` !== "test" && valueOf(first, name) !== valueOf(second, name),
  );
  if (differing[0])
    console.warn(
      `afterword: this page starts Afterword twice with one key. The second start joins the first, whose options stay; these differ: ${differing.join(", ")}.`,
    );
}
