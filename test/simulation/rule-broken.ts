/** A rule of the product that a world has broken. */
export class RuleBroken extends Error {
  readonly rule: string;

  constructor(rule: string, detail: string) {
    super(`${rule}: ${detail}`);
    this.rule = rule;
  }
}

export function assertRule(holds: boolean, rule: string, detail: () => string): void {
  if (!holds) throw new RuleBroken(rule, detail());
}
