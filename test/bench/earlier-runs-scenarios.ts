import { randomBytes } from "node:crypto";
import { startServer, type ServerConfig } from "@afterword/server";
import Database from "better-sqlite3";
import { benchSecretKey } from "./bench-config.ts";
import { startBuiltServer, type ChildServer } from "./child-server.ts";
import { assertAnswered, requestBytes, runLoad, type LoadResult } from "./load.ts";
import { bestRun, connections, each, inTurns, repeat, rounds } from "./measure.ts";

/** Thumbs, beside a quiet period and a cap: all that gating can want to know is looked up. */
export const earlierRunsConfig: ServerConfig = {
  rateLimits: false,
  projects: [
    {
      id: "thumbs",
      name: "Thumbs",
      secretKey: benchSecretKey,
      allowedOrigins: [],
      gating: { quietPeriod: "30d", monthlyCap: 2 },
      surveys: [
        {
          id: "thumbs",
          slug: "thumbs",
          type: "csat",
          question: "Was this answer helpful?",
          presentation: "inline",
          trigger: "manual",
          status: "active",
          askAgain: { eachRun: true },
          unprompted: true,
        },
      ],
    },
  ],
};

/** So many that the runs that a round adds to each are few beside those that they had. */
const peoplePerRound = 5;
const person = (runs: number, index: number) => `${runs} runs, person ${index}`;

/** Stores earlier runs of people as a server does, before it is measured. */
async function seedRuns(database: string, sizes: readonly number[]): Promise<void> {
  await using server = await startServer({ config: earlierRunsConfig, database });
  for (const runs of sizes)
    for (let index = 0; index < peoplePerRound * (rounds + 1); index++) {
      const of = { rating: 5, respondentId: person(runs, index) };
      await server.seed(
        "thumbs",
        Array.from({ length: runs }, () => of),
      );
    }
}

const headers = { "X-Service-Key": benchSecretKey };

async function mintedToken(server: ChildServer, respondentId: string, sessionId: string): Promise<string> {
  const reply = await fetch(`${server.ready.url}/v1/sdk/tokens`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ respondentId, sessionId }),
  });
  const { tokens } = (await reply.json()) as { tokens: Record<string, string> };
  if (!tokens["thumbs"]) throw new Error(`No token for a new run of ${respondentId}.`);
  return tokens["thumbs"];
}

type Round = () => Promise<LoadResult>;

async function loadOf(server: ChildServer, requests: number, next: () => Buffer | undefined, status: string) {
  const run = await runLoad({ server, connections, requests, next });
  assertAnswered(run, status);
  return run;
}

function bootstrapRound(server: ChildServer, runs: number, requests: number): Round {
  const body = { key: server.ready.projects[0]!.publishableKey, userId: person(runs, 0) };
  const bytes = requestBytes("POST", "/v1/sdk/bootstrap", body);
  return () => loadOf(server, requests, repeat(bytes), "200");
}

function mintRound(server: ChildServer, runs: number, requests: number): Round {
  const bodies = Array.from({ length: 50 }, (_, run) => ({
    respondentId: person(runs, 0),
    sessionId: `new ${run}`,
  }));
  const prepared = bodies.map((body) => requestBytes("POST", "/v1/sdk/tokens", body, headers));
  let at = 0;
  return () => loadOf(server, requests, () => prepared[at++ % prepared.length], "200");
}

function submitRound(server: ChildServer, runs: number, requests: number): Round {
  const key = server.ready.projects[0]!.publishableKey;
  let round = 0;
  return async () => {
    const first = peoplePerRound * round++;
    const prepared: Buffer[] = [];
    for (let index = 0; index < requests; index++) {
      const respondentId = person(runs, first + (index % peoplePerRound));
      const showToken = await mintedToken(server, respondentId, `run ${round} ${index}`);
      const body = { key, showToken, surveyId: "thumbs", rating: 5 };
      prepared.push(requestBytes("POST", "/v1/sdk/responses", body));
    }
    return loadOf(server, requests, each(prepared), "201");
  };
}

/** A path, with the fastest round for each number of earlier runs, in their order. */
export type EarlierRunsFigures = { name: string; runs: number; best: LoadResult }[];

/** Bootstrap, mint and submit of people who have rated so many runs each, in turns on one server. */
export async function benchEarlierRuns(
  config: string,
  database: string,
  requests: number,
): Promise<EarlierRunsFigures> {
  const sizes = [0, 50, 5000];
  await seedRuns(database, sizes);
  const server = await startBuiltServer(config, database);
  try {
    const figures: EarlierRunsFigures = [];
    for (const [name, roundOf] of Object.entries({ bootstrapRound, mintRound, submitRound })) {
      const measured = await inTurns(...sizes.map((runs) => roundOf(server, runs, requests)));
      const best = measured.map((list, index) => ({ runs: sizes[index]!, best: bestRun(list) }));
      figures.push(...best.map((one) => ({ name: name.replace("Round", ""), ...one })));
    }
    return figures;
  } finally {
    await server.stop();
  }
}

/** Runs of other people straight into the file: a million of them over HTTP would only measure HTTP again. */
function fillRuns(path: string, count: number): void {
  const connection = new Database(path);
  const insert = connection.prepare("INSERT INTO runs VALUES ('thumbs', ?, ?, 'thumbs', ?)");
  connection.transaction(() => {
    for (let index = 0; index < count; index++)
      insert.run(randomBytes(16), randomBytes(16), 1_760_000_000_000 + index);
  })();
  connection.pragma("wal_checkpoint(TRUNCATE)");
  connection.close();
}

export interface RunTableFigures {
  rows: number;
  mintP50: number;
}

/** Mint beside tables of few and of many runs, one request at a time and in turns. */
export async function benchRunTables(
  config: string,
  sizes: [database: string, rows: number][],
  requests: number,
): Promise<RunTableFigures[]> {
  const servers: ChildServer[] = [];
  try {
    for (const [database, rows] of sizes) {
      servers.push(await startBuiltServer(config, database));
      fillRuns(database, rows);
    }
    const measured = await inTurns(...servers.map((server) => mintRound(server, 0, requests)));
    return measured.map((list, index) => ({
      rows: sizes[index]![1],
      mintP50: Math.min(...list.map(({ p50 }) => p50)),
    }));
  } finally {
    for (const server of servers) await server.stop();
  }
}
