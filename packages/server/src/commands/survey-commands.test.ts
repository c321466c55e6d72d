import { describe, expect, it } from "vitest";
import { startServer } from "../program/start-server.ts";
import { AfterwordServer, survey } from "./afterword-server.fixture.ts";

async function withProject() {
  const server = new AfterwordServer();
  await server.run("project create shop");
  return server;
}

const surveysOf = async (server: AfterwordServer) =>
  (await server.run("survey list shop --json")).json()["surveys"] as Record<string, unknown>[];

describe("survey import", () => {
  it("accepts a JSON list, and makes surveys drafts by default", async () => {
    using server = await withProject();
    const file = server.file(
      "surveys.json",
      JSON.stringify([survey("one"), survey("two", { status: "paused" })]),
    );
    const { code, out } = await server.run(`survey import shop ${file}`);
    expect(code).toBe(0);
    expect(out).toBe("created one (version 1, draft)\ncreated two (version 1, paused)");
  });

  it.each(["", "[]", "surveys: []", "null"])("refuses a file without any survey: %j", async (text) => {
    using server = await withProject();
    const { code, error } = await server.run(`survey import shop ${server.file("none.yaml", text)}`);
    expect(code).toBe(2);
    expect(error).toMatch(/none\.yaml has no survey$/);
  });

  it("accepts one survey, or an object with surveys, as YAML", async () => {
    using server = await withProject();
    const yaml = "id: one\nslug: one\ntype: nps\nquestion: Would you?\npresentation: inline\ntrigger: auto\n";
    const alone = server.file("alone.yaml", yaml);
    expect((await server.run(`survey import shop ${alone} --status active`)).out).toContain("created one");
    const many = server.file(
      "many.yaml",
      `surveys:\n  - ${yaml.trim().replaceAll("\n", "\n    ")}\n    maximum: 5\n`,
    );
    expect((await server.run(`survey import shop ${many} --status active --json`)).json()).toMatchObject({
      projectId: "shop",
      surveys: [{ change: "changed", slug: "one", version: 1, maximum: 5, status: "active" }],
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
      using server = await withProject();
      const file = server.file("s.json", JSON.stringify(survey("one", fields)));
      const { code, out } = await server.run(`survey import shop ${file} --status active`);
      expect([code, out.includes("suggestions of shop/one: has no followUpQuestion")]).toEqual([0, isSaid]);
      expect(out).not.toContain("→");
      const doctor = (await server.run("doctor")).out;
      expect(/✓ suggestions of shop\/one +has no followUpQuestion/.test(doctor)).toBe(isSaid);
    },
  );

  it("raises the version only when the definition changes", async () => {
    using server = await withProject();
    const file = server.file("s.json", JSON.stringify(survey("one")));
    await server.run(`survey import shop ${file}`);
    expect((await server.run(`survey import shop ${file}`)).out).toBe("unchanged one (version 1, draft)");
    server.file("s.json", JSON.stringify(survey("one", { question: "And now?" })));
    expect((await server.run(`survey import shop ${file}`)).out).toBe("changed one (version 2, draft)");
  });

  it("takes when a survey is asked again, without a new version, and names the field that is wrong", async () => {
    using server = await withProject();
    const importOf = (fields: object) =>
      server.run(`survey import shop ${server.file("s.json", JSON.stringify(survey("one", fields)))}`);
    await importOf({ askAgain: { after: "90d" }, unprompted: true });
    expect((await importOf({ askAgain: { after: "90d" }, unprompted: true })).out).toMatch(/^unchanged/);
    expect((await importOf({ askAgain: { eachRun: true } })).out).toBe("changed one (version 1, draft)");
    const askAgain = { eachRun: true, afterDismissalInMs: 604_800_000 };
    expect(await surveysOf(server)).toMatchObject([{ slug: "one", askAgain }]);
    expect((await surveysOf(server))[0]).not.toHaveProperty("unprompted");
    const { code, error } = await importOf({ askAgain: { after: "7d" } });
    expect(code).toBe(2);
    expect(error).toContain("surveys[0].askAgain.after: is shorter than 8d");
  });

  it("reports every error with its path, and imports nothing", async () => {
    using server = await withProject();
    const surveys = [survey("one"), survey("two", { type: "stars" }), { ...survey("one"), colour: "red" }];
    const file = server.file("s.json", JSON.stringify(surveys));
    const { code, error } = await server.run(`survey import shop ${file}`);
    expect(code).toBe(2);
    expect(error).toContain("surveys[1].type:");
    expect(error).toContain("surveys[2].colour: is not a known setting");
    expect(error).toContain("surveys[2].slug: is the same as");
    expect(await surveysOf(server)).toEqual([]);
  });

  it("refuses a slug that another survey has", async () => {
    using server = await withProject();
    await server.run(`survey import shop ${server.file("a.json", JSON.stringify(survey("one")))}`);
    const other = server.file("b.json", JSON.stringify(survey("one", { id: "other" })));
    const { code, error } = await server.run(`survey import shop ${other}`);
    expect(code).toBe(3);
    expect(error).toContain('The slug "one" belongs to the survey with the id "one"');
  });

  it.each([
    ["nowhere.json", undefined, "cannot read"],
    ["bad.json", "{ [", "is neither JSON nor YAML"],
  ])("reports that it could not read %s", async (name, text, message) => {
    using server = await withProject();
    const { code, error } = await server.run(`survey import shop ${server.file(name, text)}`);
    expect(code).toBe(2);
    expect(error).toContain(message);
  });
});

describe("survey activate, pause, draft", () => {
  it("set the status by slug or id and keep the version", async () => {
    using server = await withProject();
    await server.run(
      `survey import shop ${server.file("a.json", JSON.stringify(survey("one", { id: "s-1" })))}`,
    );
    expect((await server.run("survey activate shop one")).out).toBe("one is active.");
    expect((await server.run("survey pause shop s-1 --json")).json()).toMatchObject({
      status: "paused",
      version: 1,
    });
    await server.run("survey draft shop one");
    expect(await surveysOf(server)).toMatchObject([{ slug: "one", status: "draft", version: 1 }]);
  });

  it("list the surveys when the given one does not exist", async () => {
    using server = await withProject();
    await server.run(`survey import shop ${server.file("a.json", JSON.stringify(survey("one")))}`);
    const { code, error } = await server.run("survey activate shop onne");
    expect(code).toBe(3);
    expect(error).toBe('The project "shop" has no survey "onne". Known surveys: one.');
  });

  it("refuse surveys of the config file, which would revert the change at the next start", async () => {
    using server = new AfterwordServer();
    const config = {
      projects: [
        {
          id: "shop",
          name: "Shop",
          allowedOrigins: ["*"],
          surveys: [{ ...survey("one"), status: "active" }],
        },
      ],
    };
    const running = await startServer({ config: config as never, database: server.database });
    await running.close();
    const { code, error } = await server.run("survey pause shop one");
    expect(code).toBe(3);
    expect(error).toBe('The survey "one" is defined in the config file: change it there.');
  });

  it("keep their slug: a config file that gives it to another survey is refused at the start", async () => {
    using server = new AfterwordServer();
    await server.run("project create shop");
    const file = server.file("one.json", JSON.stringify(survey("one")));
    await server.run(`survey import shop ${file}`);
    const surveys = [{ ...survey("one"), id: "another", status: "active" }];
    const config = { projects: [{ id: "shop", name: "Shop", allowedOrigins: ["*"], surveys }] };
    const starting = startServer({ config: config as never, database: server.database });
    await expect(starting).rejects.toThrow(
      'the slug "one" belongs to the survey "one", which a command made',
    );
  });
});
