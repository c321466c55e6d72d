import { text } from "node:stream/consumers";
import { serveLocally } from "@afterword/command-line/local-server.fixture";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { aScore, untilAborted } from "./score.fixture.ts";
import { webhook } from "./webhook.ts";

const secret = `whsec_${btoa("a signing secret of 32 bytes ...")}`;

describe("a webhook that could only fail later", () => {
  it.each(["", "hooks.test/in", "ftp://hooks.test", "https://user:hush@hooks.test"])(
    "with the url %j is refused at the start",
    (url) => {
      expect(() => webhook({ url, secret })).toThrow(ConfigurationError);
      expect(() => webhook({ url, secret })).not.toThrow(/hush/);
    },
  );

  it("with no secret, or one that is none, is refused at the start", () => {
    const url = "https://hooks.test/in";
    expect(() => webhook({ url, secret: [] })).toThrow(/secret/);
    expect(() => webhook({ url, secret: "" })).toThrow(/whsec_/);
    expect(() => webhook({ url, secret: "whsec_ü hush" })).toThrow(/whsec_/);
    expect(() => webhook({ url, secret: "whsec_ü hush" })).not.toThrow(/hush/);
  });
});

it.each([
  ["below 24 bytes is warned of", 23, 1],
  ["of 24 bytes is not", 24, 0],
])("a signing secret %s", (_, length, warnings) => {
  const warn = vi.fn<(message: string) => void>();
  const short = `whsec_${btoa("x".repeat(length))}`;
  webhook({ url: "https://hooks.test/in", secret: [secret, short], logger: { warn } });
  expect(warn).toHaveBeenCalledTimes(warnings);
  expect(warn.mock.calls.join("")).not.toContain(short);
});

describe("a webhook into a private network", () => {
  it.each(["http://127.0.0.1:9/in", "http://[::ffff:10.0.0.1]/in"])(
    "%s stops the forwarder and burns no score, and the reason says how to allow it",
    async (url) => {
      const [outcome] = await webhook({ url, secret }).deliver([aScore()], untilAborted());
      expect(outcome).toMatchObject({
        outcome: "fatal",
        reason: expect.stringContaining("allowPrivateAddresses"),
      });
      expect(JSON.stringify(outcome)).not.toContain("/in");
    },
  );
});

describe("a message of the webhook", () => {
  const other = `whsec_${btoa("another secret, also of 32 bytes")}`;

  async function received(send: (sink: ReturnType<typeof webhook>) => Promise<unknown>) {
    const messages: { headers: Record<string, string>; payload: string }[] = [];
    await using server = await serveLocally(async (request, reply) => {
      messages.push({ headers: request.headers as Record<string, string>, payload: await text(request) });
      reply.writeHead(204).end();
    });
    const url = `${server.url}/in?key=1`;
    await send(webhook({ url, secret: [secret, other], allowPrivateAddresses: true }));
    return messages;
  }

  it("is signed by each secret while one is being replaced, and a receiver with either takes it", async () => {
    const [message] = await received((sink) => sink.deliver([aScore()], untilAborted()));
    expect(message?.headers["webhook-id"]).toBe(aScore().id);
    for (const one of [secret, other]) {
      expect(new Webhook(one).verify(message!.payload, message!.headers)).toEqual({
        type: "afterword.rating",
        timestamp: expect.stringMatching(/Z$/),
        data: aScore(),
      });
    }
  });

  it("says what was erased, under an id of its own", async () => {
    const score = { id: "r1", surveyId: null, name: "afterword.srv_csat", at: null };
    const [message] = await received((sink) => sink.eraseScores!([score], untilAborted()));
    expect(message?.headers["webhook-id"]).toBe("r1.erased");
    expect(JSON.parse(message!.payload)).toMatchObject({ type: "afterword.rating.erased", data: score });
  });
});
