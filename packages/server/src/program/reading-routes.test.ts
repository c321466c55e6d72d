import { describe, expect, it } from "vitest";
import { createApp, type Store, type SurveyConfig } from "@afterword/reference-server/internal";
import { openStore } from "../postgres/open-store.ts";
import { survey } from "../commands/afterword-server.fixture.ts";
import { shopKeys } from "../commands/shop.fixture.ts";

/** The store itself, and the name of each method that is asked of it. */
function watched(store: Store) {
  const asked: string[] = [];
  const watching = new Proxy(store, {
    get(target, name: keyof Store) {
      asked.push(name);
      return target[name];
    },
  });
  return { asked, watching };
}

describe("bootstrap and mint", () => {
  it("write nothing and query only what the respondent was asked", async () => {
    const { watching, asked } = watched(await openStore(":memory:"));
    const surveys = [{ ...survey("satisfaction"), status: "active", maximum: 5 } as SurveyConfig];
    const { publishable: publishableKey, secret: secretKey } = shopKeys;
    const shop = { id: "shop", name: "Shop", allowedOrigins: [], publishableKey, secretKey, surveys };
    const application = await createApp({ store: watching, config: { projects: [shop] } });
    const post = (path: string, body: object) =>
      application.app.request(path, {
        method: "POST",
        headers: { "x-service-key": secretKey },
        body: JSON.stringify(body),
      });
    asked.length = 0;
    const replies = [
      await post("/v1/sdk/bootstrap", { key: publishableKey, userId: "ada" }),
      await application.app.request(`/v1/definitions?key=${publishableKey}&userId=ada`),
      await post("/v1/sdk/tokens", { respondentId: "ada", sessionId: "run" }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(asked).toEqual(["askFacts", "askFacts", "askFacts"]);
    await watching.close();
  });
});
