/** How long data is kept, in days; 0 keeps it for ever. */
export interface RetentionPolicy {
  /** Responses and dismissals as a whole, and the counts of runs. Default 730. */
  responseRetentionDays: number;
  /** Texts; the rating stays. Default 365. */
  textRetentionDays: number;
  /** Texts of answers whose score the sink has refused for good; the rating stays. Default 30. */
  failedTextRetentionDays: number;
  /**
   * Which runs a person has rated, of surveys that are asked once in each run; such a run can then be asked about again.
   * Never forgotten before the tokens of the run have expired. Default 400.
   */
  runRetentionDays?: number;
}
