import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import {
  mint,
  pendingSessions,
  publishableKey,
  startService,
  storedFor,
} from "../../packages/browser/fixtures/test-service.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

it("the screens of the documents run in React Native, and their ratings reach the sessions of their runs", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const aRun = async (person: string) => ({
    person,
    ...(await mint(service, "auto", person, `${person}-1`)),
  });
  const [shown, rated] = [await aRun("of-the-survey"), await aRun("of-the-hooks")];
  const runs = JSON.stringify({ key: publishableKey, baseUrl: service.url, shown, rated });
  // In Jest, for which React Native has its preset. Rejects with what it printed.
  await promisify(execFile)(
    process.execPath,
    ["node_modules/jest/bin/jest.js", "--config", "react-native/jest.config.js", "--runInBand"],
    { cwd: folder, env: { ...process.env, NODE_ENV: "test", AFTERWORD_RUNS: runs } },
  );
  expect(await storedFor(service, shown.person)).toMatchObject([{ rating: 4 }]);
  expect(await storedFor(service, rated.person)).toMatchObject([{ rating: 1 }]);
  expect((await pendingSessions(service)).sort()).toEqual([rated.sessionId, shown.sessionId].sort());
}, 300_000);
