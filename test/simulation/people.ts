import { inProcess } from "./scheduler.ts";
import { oneOf, type Act } from "./act.ts";
import { serviceHost } from "./service.ts";
import { dayInMs, publishableKey, surveyIds, type SurveyId } from "./surveys.ts";
import type { Person } from "./visit.ts";
import type { World } from "./world.ts";

/** An agent's server mints for a run of a person, and hands over the token if there is one. */
async function mint(
  world: World,
  { person, surveyId, sessionId }: { person: string; surveyId: SurveyId; sessionId: string },
  handOver: (token: string) => void,
): Promise<void> {
  const server = world.newProcess("minter");
  const client = world.clientOf(server);
  try {
    const body = { respondentId: person, sessionId, surveyId };
    const { tokens } = await inProcess.run(server, () => client.mint(body));
    const token = tokens[surveyId];
    if (token) inProcess.exit(() => handOver(token));
  } catch (error) {
    world.note(`${server.name}: ${String(error)}`);
  }
}

function endLater(world: World, visit: ReturnType<World["openVisit"]>, random: () => number): void {
  for (const delayInMs of [random() * 20_000, 10_000 + random() * 60_000]) {
    const how = oneOf(["hide", "leave", "kill"] as const, random);
    world.scheduler.later(delayInMs, () => visit.end(how), undefined);
  }
}

/** A person opens a page, or the same one in two tabs, perhaps after a run of an agent, and is asked. */
export const visit: Act = (world, random) => {
  const person = oneOf(world.people, random);
  const surveyId = oneOf(surveyIds, random);
  const tabs = Array.from({ length: random() < 0.2 ? 2 : 1 }, () => world.openVisit(person));
  for (const tab of tabs) endLater(world, tab, random);
  const isBound = surveyId === "runs" || random() < 0.6;
  if (!isBound) {
    for (const tab of tabs) tab.ask(surveyId);
    // The page asks again, as where its person comes back to a view of it.
    if (random() < 0.3)
      world.scheduler.later(random() * 30_000, () => tabs[0]!.ask(surveyId), tabs[0]!.page.process);
    return;
  }
  // A few runs are rated twice.
  const sessionId = `run-${Math.floor(random() * 300)}`;
  const receivers = tabs.map((tab) => {
    const method = surveyId === "runs" && random() < 0.7 ? "rate" : "ask";
    return (token: string) => tab[method](surveyId, { token, sessionId });
  });
  // One token for both tabs, or one for each.
  const groups = random() < 0.5 ? [receivers] : receivers.map((receive) => [receive]);
  for (const group of groups)
    void mint(world, { person: person.id, surveyId, sessionId }, (token) =>
      group.forEach((receive) => receive(token)),
    );
};

/** A client without manners uses one token several times, some of them at once, and may claim to be somebody else. */
export const burst: Act = (world, random) => {
  const stranger = () => `stranger-${Math.floor(random() * 40)}`;
  const person = stranger();
  const userId = random() < 0.2 ? stranger() : person;
  const surveyId = oneOf(surveyIds, random);
  const delays = Array.from({ length: 2 + Math.floor(random() * 4) }, () =>
    random() < 0.6 ? 0 : random() * 9000,
  );
  const plan = delays.map((delayInMs) => ({
    delayInMs,
    isDismissal: random() < 0.3,
    rating: 1 + Math.floor(random() * 3),
  }));
  const isLate = random() < 0.1;
  const sessionId = `run-${Math.floor(random() * 300)}`;
  void mint(world, { person, surveyId, sessionId }, (token) => {
    const client = world.newProcess("raw client");
    const fetch = world.network.fetchOf(client);
    const send = (isDismissal: boolean, rating: number) => {
      const path = isDismissal ? "/v1/dismissals" : "/v1/sdk/responses";
      const content = isDismissal ? {} : { rating, text: world.newWords() };
      const body = { key: publishableKey, showToken: token, surveyId, userId, ...content };
      fetch(`http://${serviceHost}${path}`, { method: "POST", body: JSON.stringify(body) }).catch(
        () => undefined,
      );
    };
    for (const { delayInMs, isDismissal, rating } of plan)
      world.scheduler.later(delayInMs + (isLate ? 8 * dayInMs : 0), () => send(isDismissal, rating), client);
  });
};

/** A person asks to be erased, and an operator does it, as often as it takes. */
export const erase: Act = (world, random) => {
  const person: Person = oneOf(world.people, random);
  const operator = world.newProcess("operator");
  const { network, scheduler } = world;
  world.erasing += 1;
  world.note(`${person.id} asks to be erased`);
  const askedAt = scheduler.now;
  let earlier: never | undefined;
  const attempt = async (): Promise<void> => {
    const sinks = world.sinks.map((one) => one.sinkFor(operator, network, 1));
    try {
      const { privacy } = world.clientOf(operator);
      const report = await privacy.eraseEverywhere({ respondentId: person.id }, { sinks, earlier });
      world.erasing -= 1;
      world.erased(person.id, askedAt, report);
    } catch (error) {
      if ((error as Error).name === "ErasureIncompleteError") earlier = error as never;
      world.note(`${operator.name}: ${String(error)}`);
      // Longer than a sink's `Retry-After`, which the error does not give.
      scheduler.later(10_000, attempt, operator);
    }
  };
  void inProcess.run(operator, attempt);
};
