import { describe, expect, it } from "vitest";
import { Shop, shopKeys } from "../commands/shop.fixture.ts";
import { type ServerEvent } from "../audit/audit-trail.ts";

const told = async (send: (shop: Shop) => Promise<Response>) => {
  const events: ServerEvent[] = [];
  await using shop = await Shop.open({ events: { emit: (event) => void events.push({ ...event }) } });
  const reply = await send(shop);
  return {
    status: reply.status,
    events: events.filter(({ kind }) => kind === "secret-key-exposed"),
    all: events,
  };
};

describe("a secret key on a public route", () => {
  it("is refused and emits an event with only its id, wherever it was sent", async () => {
    const places: ((shop: Shop) => Promise<Response>)[] = [
      (shop) => shop.call("POST", "/v1/sdk/bootstrap", { key: shopKeys.secret }),
      (shop) => shop.call("GET", `/v1/definitions?key=${shopKeys.secret}`),
    ];
    for (const place of places) {
      const { status, events, all } = await told(place);
      expect(status).toBe(401);
      expect(events).toEqual([
        {
          kind: "secret-key-exposed",
          projectId: "shop",
          keyId: expect.stringMatching(/^key_/),
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ]);
      expect(JSON.stringify(all)).not.toContain(shopKeys.secret);
    }
  });

  it("that does not exist emits no such event", async () => {
    const { events } = await told((shop) => shop.call("POST", "/v1/sdk/bootstrap", { key: "aw_sk_x" }));
    expect(events).toEqual([]);
  });
});
