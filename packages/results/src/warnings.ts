import { type Funnel } from "./funnel.ts";
import { counted, countText } from "./results-text.ts";
import { fewestForAScore, type Score } from "./score.ts";
import { periodText, type Period } from "./period.ts";
import { type Unweighted, type Weights } from "./weights.ts";

export type WarningCode =
  | "fewPeople"
  | "fewEffectiveAnswers"
  | "unequalWeights"
  | "fewAnswered"
  | "stratumWithoutAnswers"
  | "stratumWithFewAnswers"
  | "mergedClasses"
  | "answersWithoutRun";

export interface Warning {
  code: WarningCode;
  text: string;
}

/** What a score is read from. */
export interface ScoreBasis {
  score: Score;
  /** How the answers can be weighted, or why not; a text for groups of which runs are not counted. */
  weights: Weights | Unweighted | { uncountedBy: string };
  funnel: Funnel | null;
  /** Answers that no run is known of: imported ones and those to tokens of bootstrap. */
  withoutRun: number;
  period: Period;
}

function reasonOf({ weights, funnel }: ScoreBasis): string {
  if (typeof weights === "object" && "uncountedBy" in weights)
    return `runs are not counted by ${weights.uncountedBy}`;
  if (weights === "more answers than runs")
    return "there are more answers than counted runs: many of them are to runs from before the period or before counting began";
  if (weights === "no runs")
    return (funnel?.asked ?? 0) > 0
      ? "this survey was asked without a mint, so that its runs are not known"
      : "no runs were counted in this period";
  return "some answers belong to no known run";
}

/** One sentence: the runs that a score speaks for and what that assumes, or those who answered alone. */
export function speaksFor(basis: ScoreBasis): string {
  const { score, weights, funnel, withoutRun, period } = basis;
  if (score.n === 0) return "There is no answer to speak for anyone.";
  const isKnown = typeof weights === "object" && "runs" in weights;
  if (!isKnown || (!score.isWeighted && withoutRun > 0))
    return `This score speaks for those who answered, because ${reasonOf(basis)}.`;
  const all = funnel?.runs ?? weights.runs;
  const whole = all === 1 ? "the only run" : `all ${counted(all, "run")}`;
  const runs = weights.runs === all ? whole : `${countText(weights.runs)} of ${counted(all, "run")}`;
  const others = score.isWeighted ? "the others of their class" : "the others";
  const named = periodText(period);
  const of = named.includes(" to ") ? "from" : "of";
  return `This score speaks for ${runs} ${of} ${named}, assuming that those who answered resemble ${others}.`;
}

const stratumText = (stratum: string | null): string =>
  stratum === null ? "Runs of no stratum" : `Runs of the stratum "${stratum}"`;
/** The largest weight may be so many times the least. */
const mostSpread = 20;
const fewestAnswered = 1 / 5;

const warning = (code: WarningCode, text: string): Warning => ({ code, text });

function weightWarnings({ spread, merged, emptyStrata, thinStrata }: Weights): Warning[] {
  const empty = emptyStrata.map(({ stratum, runs }) => {
    const text = `${stratumText(stratum)} (${countText(runs)}) have no answers: the score says nothing about them.`;
    return warning("stratumWithoutAnswers", text);
  });
  const thin = thinStrata.map(({ stratum, answers }) => {
    const text = `${stratumText(stratum)} have only ${counted(answers, "answer")}, which stand for all of them.`;
    return warning("stratumWithFewAnswers", text);
  });
  const unequal = warning(
    "unequalWeights",
    `Some answers weigh ${countText(Math.round(spread))} times as much as others: few of them decide the score.`,
  );
  const together = warning(
    "mergedClasses",
    `${merged} classes share a weight with others of their stratum, since they have fewer than 10 answers or more answers than runs.`,
  );
  return [...empty, ...thin, ...(spread > mostSpread ? [unequal] : []), ...(merged > 0 ? [together] : [])];
}

/** When a figure cannot carry what its sentence says. */
export function warningsOf({ score, weights, funnel, withoutRun }: ScoreBasis): Warning[] {
  if (score.n === 0) return [];
  const warnings: Warning[] = [];
  const add = (code: WarningCode, text: string) => warnings.push(warning(code, text));
  if (score.people < fewestForAScore)
    add("fewPeople", `Fewer than ${fewestForAScore} people answered: too few to tell.`);
  if (score.effectiveN < fewestForAScore)
    add(
      "fewEffectiveAnswers",
      `The answers say as much as ${counted(Math.floor(score.effectiveN), "independent one")}, fewer than ${fewestForAScore}.`,
    );
  if (funnel && funnel.shown > 0 && funnel.answered / funnel.shown < fewestAnswered)
    add("fewAnswered", "Fewer than one in five who were shown the survey answered: the others may differ.");
  if (typeof weights === "string" || "uncountedBy" in weights) return warnings;
  if (!score.isWeighted) {
    // Where it speaks for runs, these make the weights equal.
    const own = ({ code }: Warning) => code === "stratumWithoutAnswers" || code === "mergedClasses";
    return withoutRun > 0 ? warnings : [...warnings, ...weightWarnings(weights).filter(own)];
  }
  if (withoutRun > 0)
    add(
      "answersWithoutRun",
      `${counted(withoutRun, "answer has", "answers have")} no known run and count only in the raw score: imported, or given without a mint.`,
    );
  return [...warnings, ...weightWarnings(weights)];
}
