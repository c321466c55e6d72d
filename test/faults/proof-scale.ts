/** Whether this run is `pnpm prove`, which takes its time. */
export const isFullProof = process.env["AFTERWORD_PROOFS"] === "full";

/** How long a proof goes on: quick within the suite. */
export function proofScale({ quick, full }: { quick: number; full: number }): number {
  return isFullProof ? full : quick;
}
