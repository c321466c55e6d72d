import { describe, expect, it } from "vitest";
import { startServer } from "../program/start-server.ts";
import { AfterwordServer, survey } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

const surveysOf = async (server: AfterwordServer) =>
  (await server.run("survey list shop --json")).json()["surveys"] as Record<string, unknown>[];

type AuditedIds = Record<"projects" | "keys" | "surveys", string[]>;

/** A server's config file with the project `shop` and a survey. */
const configWith = (survey: object) =>
  ({
    projects: [
      { id: "shop", name: "Shop", allowedOrigins: ["*"], surveys: [{ status: "active", ...survey }] },
    ],
  }) as never;

describe("apply", () => {
  it("creates surveys, and says so", async () => {
    using server = await AfterwordServer.withShop();
    const { code, out } = await server.apply([survey("one"), survey("two", { status: "paused" })], {
      project: { name: "shop" },
    });
    expect([code, out]).toEqual([
      0,
      "created shop/one (version 1, active)\ncreated shop/two (version 1, paused)",
    ]);
  });

  it("sets a project's name, origins and gating as the file has them", async () => {
    using server = await AfterwordServer.withShop();
    const gating = { quietPeriod: "30d", surveyMaximum: 9 };
    const project = { name: "Store", allowedOrigins: ["*"], gating };
    await server.apply([], { project: { ...project, gating: { monthlyCap: 2 } } });
    expect((await server.apply([], { project })).out).toBe("changed the project shop");
    expect((await server.run("project list --json")).json()["projects"]).toMatchObject([
      {
        name: "Store",
        allowedOrigins: ["*"],
        gating: { quietPeriodInMs: 30 * 86_400_000, surveyMaximum: 9 },
        keys: 2,
      },
    ]);
    expect((await server.apply([], { project })).out).toBe("Nothing to change.");
  });

  it("creates a project that is not there yet, and shows its keys once", async () => {
    using server = await AfterwordServer.withShop();
    const { out, error } = await server.apply([survey("one")], { project: { id: "new" } });
    expect(out).toMatch(
      /^created the project new\n {2}publishable key {2}aw_pk_\w+ {3}for pages\n {2}secret key {7}aw_sk_\w+/,
    );
    expect(out).toMatch(/Save the secret key now.*\ncreated new\/one \(version 1, active\)$/);
    expect(error).toBe("");
    const [secret] = /aw_sk_\w+/.exec(out)!;
    await using running = await startServer({ database: server.database });
    const headers = { "x-service-key": secret };
    expect(await fetch(`${running.url}/v1/sdk/pending-scores`, { headers })).toMatchObject({ status: 200 });
  });

  it("deletes no survey and revokes no key that the file does not list, of an earlier config file either", async () => {
    using server = new AfterwordServer();
    await (await Shop.open({ database: server.database })).server.close();
    const keys = (await server.run("key list shop --json")).out;
    const before = await surveysOf(server);
    const { error } = await server.apply([survey("one")], { project: { name: "Store" } });
    expect(error).toContain("A config file defines the project shop: change it there too");
    expect((await server.run("key list shop --json")).out).toBe(keys);
    expect(await surveysOf(server)).toEqual(
      expect.arrayContaining([...before, expect.objectContaining({ slug: "one", managedBy: "command" })]),
    );
  });

  it("changes a survey of the config file, which the next start sets back", async () => {
    using server = new AfterwordServer();
    const config = configWith(survey("one"));
    await (await startServer({ config, database: server.database })).close();
    expect((await server.apply([survey("one", { status: "paused" })])).out).toMatch(
      /changed shop\/one \(version 1, paused\)$/,
    );
    await (await startServer({ config, database: server.database })).close();
    expect(await surveysOf(server)).toMatchObject([{ status: "active", managedBy: "config" }]);
  });

  it("changes nothing in a dry run, which creates no key either", async () => {
    using server = await AfterwordServer.withShop();
    const project = { id: "new" };
    const { code, out, log } = await server.apply([survey("one")], { project, flags: "--dry-run" });
    expect([code, out, log]).toEqual([
      0,
      "This would change:\ncreated the project new\ncreated new/one (version 1, active)",
      [],
    ]);
    expect((await server.run("project list --json")).json()["projects"]).toMatchObject([{ id: "shop" }]);
  });

  it("names a project to which a dry run would add a key alone, without the key", async () => {
    using server = await AfterwordServer.withShop();
    const project = { name: "shop", secretKey: `aw_sk_${"a".repeat(32)}` };
    const { out } = await server.apply([], { project, flags: "--dry-run" });
    expect(out).toBe("This would change:\nchanged the project shop");
  });

  it("gives a key that the config file of `serve` replaces later, which is then revoked", async () => {
    using server = await AfterwordServer.withShop();
    const [second, third] = ["b", "c"].map((letter) => `aw_sk_${letter.repeat(32)}`);
    const configOf = (secretKey: string) =>
      ({ projects: [{ id: "shop", name: "shop", allowedOrigins: ["*"], secretKey, surveys: [] }] }) as never;
    const statusAfterStart = async (given: string, used: string) => {
      await using running = await startServer({ config: configOf(given), database: server.database });
      const headers = { "x-service-key": used };
      return (await fetch(`${running.url}/v1/sdk/pending-scores`, { headers })).status;
    };
    await server.apply([], { project: { name: "shop", secretKey: second! } });
    expect(await statusAfterStart(second!, second!)).toBe(200);
    expect(await statusAfterStart(third!, second!)).toBe(401);
  });

  it("names the same projects, keys and surveys in both lines of the audit", async () => {
    using server = await AfterwordServer.withShop();
    const { log } = await server.apply([survey("one")], { project: { id: "new" } });
    const lines = log.map((line) => JSON.parse(line) as { what: string; details: { changed: AuditedIds } });
    const changed = lines.filter(({ what }) => what === "config").map(({ details }) => details.changed);
    expect(changed).toHaveLength(2);
    expect(changed[0]!.keys).toHaveLength(2);
    expect(changed[1]).toEqual(changed[0]);
  });

  it("reads YAML, and one line of JSON answers on demand", async () => {
    using server = await AfterwordServer.withShop();
    const yaml = [
      "projects:",
      "  - { id: shop, name: shop, allowedOrigins: [], surveys: [",
      "      { id: one, slug: one, type: nps, question: Would you?, presentation: inline, trigger: auto,",
      "        status: active, maximum: 5 } ] }",
    ];
    const file = server.file("many.yaml", yaml.join("\n"));
    expect((await server.run(`apply ${file} --json`)).json()).toMatchObject({
      isDryRun: false,
      projects: [],
      surveys: [
        { projectId: "shop", change: "created", slug: "one", version: 1, maximum: 5, status: "active" },
      ],
      findings: [],
    });
  });

  it.each([
    [{ suggestions: { low: ["Wrong"] } }, true],
    [{ translations: { de: { suggestions: { low: ["Falsch"] } } } }, true],
    [{ suggestions: { low: ["Wrong"] }, followUpQuestion: "Why?" }, false],
    [{ suggestions: { low: ["Wrong"] }, followUpQuestions: { low: "Why?" } }, false],
    [{ suggestions: { low: ["Wrong"] }, translations: { de: { followUpQuestion: "Warum?" } } }, false],
    [{}, false],
  ])(
    "mentions suggestions without a follow-up question, as doctor does: %j is %s",
    async (fields, isSaid) => {
      using server = await AfterwordServer.withShop();
      const { code, out } = await server.apply([survey("one", fields)]);
      expect([code, out.includes("suggestions of shop/one: has no followUpQuestion")]).toEqual([0, isSaid]);
      expect(out).not.toContain("→");
      const doctor = (await server.run("doctor")).out;
      expect(/✓ suggestions of shop\/one +has no followUpQuestion/.test(doctor)).toBe(isSaid);
    },
  );

  it("reports every error with its path, and changes nothing", async () => {
    using server = await AfterwordServer.withShop();
    const surveys = [survey("one"), survey("two", { type: "stars" }), { ...survey("one"), colour: "red" }];
    const { code, error } = await server.apply(surveys);
    expect(code).toBe(2);
    expect(error).toContain("surveys[1].type:");
    expect(error).toContain("surveys[2].colour: is not a known setting");
    expect(error).toContain("surveys[2].slug: is the same as");
    expect(await surveysOf(server)).toEqual([]);
  });

  it("refuses a slug that another survey has", async () => {
    using server = await AfterwordServer.withShop();
    await server.apply([survey("one")]);
    const { code, error } = await server.apply([survey("one", { id: "other" })]);
    expect(code).toBe(3);
    expect(error).toContain('the slug "one" belongs to the survey "one", which a command made: give one');
  });

  it.each([
    ["nowhere.json", undefined, "cannot read"],
    ["bad.json", "{ [", "is neither JSON nor YAML"],
    ["empty.json", "", "Invalid input"],
  ])("reports that it could not read %s", async (name, text, message) => {
    using server = await AfterwordServer.withShop();
    const { code, error } = await server.run(`apply ${server.file(name, text)}`);
    expect(code).toBe(2);
    expect(error).toContain(message);
  });
});

describe("a survey that `apply` made", () => {
  it("keeps its slug: a config file that gives it to another survey is refused at the start", async () => {
    using server = await AfterwordServer.withShop();
    await server.apply([survey("one")]);
    const config = configWith({ ...survey("one"), id: "another" });
    await expect(startServer({ config, database: server.database })).rejects.toThrow(
      'the slug "one" belongs to the survey "one", which a command made',
    );
  });
});
