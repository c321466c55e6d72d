import { describe, expect, it } from "vitest";
import { AfterwordServer } from "./afterword-server.fixture.ts";
import { Shop } from "./shop.fixture.ts";

async function withAda() {
  const server = new AfterwordServer();
  await using shop = await Shop.open({ database: server.database });
  const identityKind = "anon-device";
  await shop.answer({ respondentId: "ada", rating: 5, text: "Fine", sessionId: "run-7", identityKind });
  await shop.dismiss({ respondentId: "ada", surveyId: "ease" });
  await shop.answer({ respondentId: "bob", text: "Not ada's" });
  return server;
}

describe("subject-report", () => {
  it("contains the export, and the kind of identity, the session, the dismissals and the suppression", async () => {
    using server = await withAda();
    const { code, out } = await server.run("subject-report shop --respondent ada");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      projectId: "shop",
      respondentIds: ["ada"],
      responses: [
        {
          surveySlug: "satisfaction",
          respondentId: "ada",
          rating: 5,
          text: "Fine",
          sessionId: "run-7",
          identityKind: "anon-device",
          scoreState: "pending",
          source: "measured",
        },
      ],
      dismissals: [{ surveySlug: "ease", respondentId: "ada" }],
      suppression: [
        { surveySlug: "ease", dismissedAt: expect.any(String), isPermanent: false },
        { surveySlug: "satisfaction", answeredAt: expect.any(String), isPermanent: false },
      ],
      asks: [],
      runs: [],
    });
    expect(out).not.toContain("Not ada's");
  });

  it("shows only suppression, by day, after an erasure", async () => {
    using server = await withAda();
    {
      await using shop = await Shop.open({ database: server.database });
      await shop.asServer("DELETE", "/v1/privacy/erase?respondentId=ada");
    }
    const report = (await server.run("subject-report shop --respondent ada --json")).json();
    expect(report).toMatchObject({ responses: [], dismissals: [] });
    const day = expect.stringMatching(/T00:00:00\.000Z$/) as string;
    expect(report["suppression"]).toEqual([
      { surveyId: "ease", surveySlug: "ease", dismissedAt: day, isPermanent: true },
      { surveyId: "satisfaction", surveySlug: "satisfaction", answeredAt: day, isPermanent: true },
    ]);
  });

  it("refuses an invalid e-mail address instead of an empty report", async () => {
    using server = await withAda();
    const { code, error } = await server.run("subject-report shop --email foo");
    expect(code).toBe(2);
    expect(error).toContain("This is not an e-mail address.");
  });

  it("refuses a call without a person", async () => {
    using server = await withAda();
    const { code, error } = await server.run("subject-report shop");
    expect(code).toBe(3);
    expect(error).toBe("Name the person: --respondent, --email or both.");
  });
});
