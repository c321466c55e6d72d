import { afterAll, beforeAll } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { type ApiWorld, type OpenWorld, type RunningApi } from "./api-world.ts";
import { everyProject, keysOf } from "./projects.ts";

/** The running server of a suite, set before its tests run. */
export interface SuiteApi {
  world: ApiWorld;
  api: RunningApi;
  /** A client of a project of `everyProject`. */
  client(projectId: string): ApiClient;
  /** A respondent that no other test knows. */
  newPerson(): string;
}

/** Starts one server with every project before the tests of the enclosing `describe`, and stops it after them. */
export function useApi(open: OpenWorld): SuiteApi {
  const suite = {} as SuiteApi;
  let count = 0;
  suite.newPerson = () => `person-${++count}`;
  suite.client = (projectId) => new ApiClient(suite.api.baseUrl, keysOf(projectId));
  beforeAll(async () => {
    suite.world = await open();
    suite.api = await suite.world.start(everyProject);
  });
  afterAll(async () => {
    await suite.api.stop();
    await suite.world.dispose();
  });
  return suite;
}
