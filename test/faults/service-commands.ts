import fc from "fast-check";
import { expect } from "vitest";
import { type ApiClient, type Reply } from "@afterword/conformance";
import { people, surveys, type Expected, type ModelToken, type ServiceModel } from "./service-model.ts";

/** The real service: a client of one project, a client of another, and the clock that the server reads. */
export interface RealService {
  client: ApiClient;
  foreigner: ApiClient;
  clock: { now(): number; advance(milliseconds: number): void };
  /** What uses of tokens were answered with: random calls that never get anywhere prove nothing. */
  seen: Set<string>;
}

type Run = (model: ServiceModel, real: RealService) => Promise<void>;
type Step = fc.AsyncCommand<ServiceModel, RealService>;

const hourInMs = 3_600_000;

const step = (name: string, run: Run, check: (model: ServiceModel) => boolean = () => true): Step => ({
  check,
  run,
  toString: () => name,
});

/** What the service told, which may be more, and what the model says. */
function agree(told: unknown, wanted: unknown): void {
  expect({ told }).toMatchObject({ told: wanted });
}

function expectReply(
  { seen }: RealService,
  { status, json }: Reply,
  { status: wanted, code, existing }: Expected,
): void {
  seen.add([status, json.code].join(" ").trim());
  expect({ status, code: json.code }).toEqual({ status: wanted, code });
  const told = status === 201 ? json : json.existing;
  if (existing) expect(told).toMatchObject({ id: existing.id, at: existing.at });
  else if (status !== 201) expect(told).toBeUndefined();
}

/** A step with one of the tokens that were ever issued. */
const withToken = (
  name: string,
  run: (token: ModelToken, model: ServiceModel, real: RealService) => Promise<void>,
) =>
  fc.nat(999).map((number) => {
    const tokenOf = ({ tokens }: ServiceModel) => tokens[tokens.length - 1 - (number % tokens.length)]!;
    return step(
      `${name} ${number}`,
      (model, real) => run(tokenOf(model), model, real),
      ({ tokens }) => tokens.length > 0,
    );
  });

const person = fc.constantFrom(...people);
const survey = fc.constantFrom(...surveys);

const bootstrap = person.map((who) =>
  step(`bootstrap ${who}`, async (model, { client, clock }) => {
    const { status, json } = await client.bootstrap(who);
    agree(status, 200);
    agree(json.suppression.toSorted(), model.suppressionOf(who));
    agree(Object.keys(json.showTokens).toSorted(), model.offeredTo(who));
    model.issue(json.showTokens, who, false, clock.now());
  }),
);

const mint = fc.tuple(person, fc.option(survey, { nil: undefined })).map(([who, only]) =>
  step(`mint ${who} ${only ?? "all"}`, async (model, { client, clock }) => {
    const { status, json } = await client.mint({ respondentId: who, surveyId: only });
    agree(status, 200);
    const offered = model.offeredTo(who).filter((one) => (only ?? one) === one);
    agree(Object.keys(json.tokens).toSorted(), offered);
    model.issue(json.tokens, who, true, clock.now());
  }),
);

const submit = withToken("submit", async (token, model, real) => {
  const { client, clock } = real;
  const expected = model.submit(token, clock.now());
  const reply = await client.submit({ showToken: token.value, surveyId: token.survey, rating: 7 });
  expectReply(real, reply, expected);
  if (reply.status === 201) model.store(token, "response", reply);
});

const submitElsewhere = withToken("submit for another survey", async (token, model, real) => {
  const { client, clock } = real;
  const other = surveys.find((one) => one !== token.survey)!;
  const expected = model.submit(token, clock.now(), other);
  expectReply(real, await client.submit({ showToken: token.value, surveyId: other, rating: 7 }), expected);
});

const submitAsForeigner = withToken("submit to another project", async (token, _, real) => {
  const { foreigner } = real;
  const reply = await foreigner.submit({ showToken: token.value, surveyId: token.survey, rating: 7 });
  expectReply(real, reply, { status: 401, code: "token_invalid" });
});

const dismiss = withToken("dismiss", async (token, model, real) => {
  const { client, clock } = real;
  const expected = model.dismiss(token, clock.now());
  const body = { showToken: token.value, surveyId: token.survey, userId: token.person };
  const reply = await client.dismiss(body);
  expectReply(real, reply, expected);
  if (reply.status === 201 && !expected.existing) model.store(token, "dismissal", reply);
});

const acknowledged = fc.array(fc.record({ number: fc.nat(30), isDelivered: fc.boolean() }), {
  minLength: 1,
  maxLength: 6,
});
const acknowledge = fc.tuple(acknowledged, fc.boolean()).map(([chosen, isForeign]) =>
  step(
    `${isForeign ? "acknowledge as another project" : "acknowledge"} ${JSON.stringify(chosen)}`,
    async (model, real) => {
      const results = chosen.map(({ number, isDelivered }) => ({
        id: model.records.at(number % (model.records.length + 1))?.id ?? "unknown-id",
        state: isDelivered ? ("delivered" as const) : ("failed" as const),
      }));
      const { status, json } = await (isForeign ? real.foreigner : real.client).ack(results);
      agree(
        { status, updated: json.updated },
        {
          status: 200,
          updated: isForeign ? 0 : model.acknowledge(results),
        },
      );
    },
  ),
);

const look = fc.constant(
  step("look at queue and export", async (model, { client, foreigner }) => {
    const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
    agree(idsOf(await client.drain()), model.queue(false));
    agree(idsOf(await client.drain({ includeFailed: "true", limit: "2" })), model.queue(true));
    const { count, responses } = (await client.export()).json;
    agree(idsOf(responses).toSorted(), idsOf(model.responses).toSorted());
    agree(count, responses.length);
    agree((await foreigner.export()).json.count, 0);
  }),
);

const erase = fc
  .tuple(fc.option(person, { nil: undefined }), fc.option(survey, { nil: undefined }))
  .map(([who, what]) =>
    step(
      `erase ${who ?? "everybody"} on ${what ?? "everything"}`,
      async (model, { client }) => {
        const query = { ...(who && { respondentId: who }), ...(what && { surveySlug: `${what}-slug` }) };
        const { status, json } = await client.erase(query);
        agree(
          { status, ...json },
          {
            status: 200,
            ...model.erase({ person: who, survey: what }),
          },
        );
      },
      () => who !== undefined || what !== undefined,
    ),
  );

const purge = fc.constant(
  step("purge", async (model, { client }) => {
    const { status, json } = await client.erase({ account: "true" });
    agree({ status, ...json }, { status: 200, ...model.purge() });
  }),
);

const wait = fc
  .constantFrom(1, 12, 30, 100)
  .map((hours) => step(`wait ${hours} hours`, async (_, { clock }) => clock.advance(hours * hourInMs)));

/** Up to so many calls of every route, in any order. */
export const anyCalls = (maxCommands: number) =>
  // What is named twice comes twice as often.
  fc.commands(
    [
      bootstrap,
      mint,
      mint,
      submit,
      submit,
      dismiss,
      acknowledge,
      look,
      look,
      submitElsewhere,
      submitAsForeigner,
      erase,
      purge,
      wait,
    ],
    { maxCommands, size: "max" },
  );
