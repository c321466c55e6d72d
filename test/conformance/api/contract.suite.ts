import { type Extension, serverClauses, Service, setup } from "@afterword/conformance";
import { type ServerConfig } from "@afterword/reference-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiWorld, type OpenWorld, type RunningApi } from "./api-world.ts";
import { createMintKey, expiredTokenOf } from "./mint-key.ts";
import { keysOf } from "./projects.ts";

export const [allowedOrigin] = setup.projects[0]!.allowedOrigins;

/** A server with the kit's surveys and keys that tests know. */
export const kitConfig = {
  ...setup,
  projects: setup.projects.map((project) => ({ ...project, ...keysOf(project.id) })),
};
const { projects } = kitConfig;

/** The clauses of the kit, on a server that has the kit's surveys, and all extensions but these. */
export function contractSuite(open: OpenWorld, lacks: Extension[]) {
  describe("the contract, section", () => {
    let world: ApiWorld;
    let api: RunningApi;
    let service: Service;
    beforeAll(async () => {
      world = await open();
      const rateLimits = !lacks.includes("rate-limits") && setup.rateLimits;
      const config = { ...setup, rateLimits, projects } as ServerConfig;
      const mintKey = await createMintKey(world, config);
      api = await world.start(config);
      const expiredToken = await expiredTokenOf(api, world, projects[0]!.publishableKey);
      service = new Service({
        baseUrl: api.baseUrl,
        keys: projects[0]!,
        secondKeys: projects[1]!,
        mintKey,
        expiredToken,
        allowedOrigin,
        isDisposable: true,
        wait: async (milliseconds) => world.clock.advance(milliseconds),
        runId: "conformance",
      });
    });
    afterAll(async () => {
      await api.stop();
      await world.dispose();
    });
    const clauses = serverClauses.filter(({ offers }) => !offers || !lacks.includes(offers));
    it.each(clauses.map(({ section, title, run }) => [section, title, run] as const))(
      "%s: %s",
      async (_section, _title, run) => expect(typeof (await run(service))).toMatch(/^(string|undefined)$/),
    );
  });
}
