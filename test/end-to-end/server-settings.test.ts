import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ServerFolder } from "./server-program.ts";

const project = { id: "from-variables", name: "Shop", allowedOrigins: ["*"], surveys: [] };

describe("settings of the server", () => {
  it("can all come from variables, and a flag goes before one", async () => {
    using folder = new ServerFolder();
    writeFileSync(folder.file("config.json"), JSON.stringify({ projects: [project] }));
    writeFileSync(folder.file("master.key"), `${"5a".repeat(32)}\n`);
    mkdirSync(folder.file("data"));
    folder.environment = {
      AFTERWORD_CONFIG: "config.json",
      AFTERWORD_DB: "data/shop.db",
      AFTERWORD_HOST: "127.0.0.1",
      AFTERWORD_KEY_FILE: "master.key",
      AFTERWORD_ADMIN_HOST: "127.0.0.1",
      AFTERWORD_ADMIN_PORT: "0",
      AFTERWORD_ERASURE_LOG: "data/erasures.jsonl",
      AFTERWORD_RESPONSE_RETENTION_DAYS: "30",
      AFTERWORD_TEXT_RETENTION_DAYS: "7",
      AFTERWORD_FAILED_TEXT_RETENTION_DAYS: "3",
      AFTERWORD_LOG_LEVEL: "silent",
      AFTERWORD_LOG_REQUESTS: "all",
      // Unused: the test's own --port 0 takes precedence.
      AFTERWORD_PORT: "1",
    };
    await using server = await folder.serve();
    expect(server.projects).toMatchObject([{ id: "from-variables" }]);
    expect(server.adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(["data/shop.db", "data/erasures.jsonl"].filter((name) => !existsSync(folder.file(name)))).toEqual(
      [],
    );
    // The key was given, so none was made beside the database.
    expect(existsSync(folder.file("data/shop.db.key"))).toBe(false);
    // An audit line has no level: the config file has made a project.
    expect(server.log.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
      "audit",
      "audit",
    ]);
    // The commands know the same variables.
    const { out, code } = await folder.run("retention", "--yes", "--json");
    expect({ code, result: JSON.parse(out) as object }).toMatchObject({
      code: 0,
      result: { textsRemoved: 0 },
    });
  });
});
