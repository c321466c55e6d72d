import { type AfterwordOptions, knownOptions } from "../options/index.ts";
import type { Page } from "../page/index.ts";

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
