/** The distributions used of jStat, which has no types of its own: Student's t with its degrees of freedom, and the normal one. */
declare module "jstat" {
  interface Distribution {
    /** The quantile. */
    inv(probability: number, ...parameters: number[]): number;
    /** The probability of at most this value. */
    cdf(value: number, ...parameters: number[]): number;
  }
  const jstat: { jStat: Record<"studentt" | "normal", Distribution> };
  export default jstat;
}
