/**
 * Which of several probabilities are small enough when all of them are looked at together, at 5 % for the family (Holm
 * 1979, Scandinavian Journal of Statistics 6, 65-70).
 */
export function holm(probabilities: readonly number[]): boolean[] {
  const order = probabilities.map((_, index) => index).sort((a, b) => probabilities[a]! - probabilities[b]!);
  const firstKept = order.findIndex((index, rank) => probabilities[index]! > 0.05 / (order.length - rank));
  const rejected = new Set(firstKept < 0 ? order : order.slice(0, firstKept));
  return probabilities.map((_, index) => rejected.has(index));
}
