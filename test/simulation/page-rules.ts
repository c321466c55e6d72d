import { assertRule, RuleBroken } from "./rule-broken.ts";
import type { Person } from "./visit.ts";
import type { World } from "./world.ts";

/**
 * A browser that may keep it remembers what its person was asked about: a run, or without one the survey. Another run may be
 * asked about again, as its token says.
 */
export function checkAsked(
  { id, asked, hasConsented }: Person,
  name: string,
  surveyId: string,
  sessionId = "",
): void {
  if (!hasConsented || surveyId === "again") return;
  const about = `${surveyId} ${sessionId}`;
  if (name === "submitted" || name === "dismissed") asked.add(about).add(`${surveyId} `);
  if (name === "shown" && asked.has(about))
    throw new RuleBroken("a browser asks its person once", `${id} ${about}`);
}

/** What waits on the devices of people who have consented, and may be sent: nothing, once pages are open and nothing fails. */
export function checkSent({ people, scheduler, visits, broken }: World): void {
  if (broken) return;
  for (const { device, hasConsented } of people) {
    const visit = visits.findLast(({ person, isOver }) => person.device === device && !isOver);
    if (!hasConsented || device.hasJumped || !visit) continue;
    const now = scheduler.wallOf(visit.page.process);
    for (const [name, value] of Object.entries(device.local)) {
      if (!name.includes(":outbox:")) continue;
      const { state, notBefore } = JSON.parse(value) as { state: string; notBefore: number };
      assertRule(state === "held" || notBefore > now, "an open page sends what waits", () => value);
    }
  }
}
