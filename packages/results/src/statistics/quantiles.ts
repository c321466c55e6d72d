// oxlint-disable-next-line typescript/triple-slash-reference -- packages that compile these sources need the types, too
/// <reference path="./jstat.d.ts" />
import jstat from "jstat";

const { studentt, normal } = jstat.jStat;

/** The 0.975 quantile of the normal distribution. */
export const z = 1.959963984540054;

/** The 0.975 quantile of Student's t, to seven digits. */
export const tQuantile = (freedom: number): number => studentt.inv(0.975, freedom);

const twoSided = (tail: number): number => Math.min(1, 2 * tail);

/** How probable a normal deviate at least as far from 0 is. */
export const normalProbability = (distance: number): number => twoSided(1 - normal.cdf(distance, 0, 1));

/** How probable a deviate of Student's t at least as far from 0 is. */
export const tProbability = (distance: number, freedom: number): number =>
  twoSided(1 - studentt.cdf(distance, freedom));
