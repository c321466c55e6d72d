/** The functions used of jStat, which has no types of its own. */
declare module "jstat" {
  interface Distribution {
    /** The quantile. */
    inv(probability: number, ...parameters: number[]): number;
    /** The probability of at most this value. */
    cdf(value: number, ...parameters: number[]): number;
  }
  const jstat: {
    jStat: {
      /** Student's t with its degrees of freedom. */
      studentt: Distribution;
      /** With mean and standard deviation. */
      normal: Distribution;
    };
  };
  export default jstat;
}
