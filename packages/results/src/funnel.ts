import { ofPage, type RunCountKind } from "@afterword/reference-server/internal";
import { type RunCountTally } from "./store/results-reader.ts";
import { countText, shareText } from "./results-text.ts";

/** How many runs led to answers. Without any, as where pages ask by themselves, it begins with `asked`: people with a token. */
export interface Funnel {
  /** Reported by mints. Each is left out by sampling, gated, or asked about. */
  runs: number;
  notSampled: number;
  /** Not asked about for another reason, such as a quiet period. */
  gated: number;
  asked: number;
  shown: number;
  answered: number;
  dismissed: number;
  /** Beside runs: how many people pages asked on their own. */
  askedOnPages?: number;
}

export function funnelOf(counts: readonly RunCountTally[]): Funnel {
  const hasRuns = counts.some(({ kind }) => kind === "run");
  const of = (wanted: RunCountKind, isOfPage = false) =>
    counts.reduce((sum, { kind, reason, count }) => {
      const isWanted = kind === wanted && (!hasRuns || (reason === ofPage) === isOfPage);
      return isWanted ? sum + count : sum;
    }, 0);
  const [runs, notSampled, gated] = [of("run"), of("notSampled"), of("gated")];
  const asked = of("asked") + (hasRuns ? of("asked", true) : 0);
  // Each run is one of three.
  const onPages = hasRuns ? Math.max(of("asked", true), asked - (runs - notSampled - gated)) : 0;
  return {
    runs,
    notSampled,
    gated,
    asked: asked - onPages,
    shown: of("shown"),
    answered: of("answered"),
    dismissed: of("dismissed"),
    ...(onPages > 0 && { askedOnPages: onPages }),
  };
}

export interface FunnelStep {
  name: string;
  count: number;
  /** Such as `33.8 % of shown`; empty for the first step and where there is nothing to compare with. */
  rate: string;
  /** Whether these go no further. */
  isExit: boolean;
}

const pageStep = "asked on pages, without a run";
const exits = ["not sampled", "gated", "dismissed", pageStep];

/** Those that lead to the next, and those that leave. Empty if nothing was counted. */
export function funnelSteps(funnel: Funnel): FunnelStep[] {
  const { runs, notSampled, gated, asked, shown, answered, dismissed, askedOnPages = 0 } = funnel;
  const step = (name: string, count: number, whole = 0, of = ""): FunnelStep => ({
    name,
    count,
    isExit: exits.includes(name),
    rate: whole > 0 && count <= whole ? `${shareText(count / whole)} of ${of}` : "",
  });
  const steps = [
    step("runs", runs),
    step("not sampled", notSampled, runs, "runs"),
    step("gated", gated, runs, "runs"),
    step("asked", asked, runs, "runs"),
    step("shown", shown, asked, "asked"),
    step("answered", answered, shown, "shown"),
    step("dismissed", dismissed, shown, "shown"),
    step(pageStep, askedOnPages),
  ];
  const optional = ["runs", "not sampled", "gated", pageStep];
  return runs + asked === 0 ? [] : steps.filter(({ name, count }) => count > 0 || !optional.includes(name));
}

/** `5,000 runs; asked 2,500 (50.0 % of runs); …`; empty if nothing was counted. */
export const funnelText = (funnel: Funnel): string =>
  funnelSteps(funnel)
    .map(({ name, count, rate }) => `${name} ${countText(count)}${rate && ` (${rate})`}`)
    .join("; ");
