import { describe, expect, it } from "vitest";
import { Afterword } from "../index.ts";

/** A client that notes the query of each request, which erases nothing. */
function watchedClient() {
  const sent: string[] = [];
  const fetch = async (input: RequestInfo | URL) => {
    sent.push(new URL(input instanceof Request ? input.url : input).search);
    return Response.json({ ok: true, mode: "account" });
  };
  const client = new Afterword({ secretKey: "aw_sk_x", baseUrl: "https://x.example", fetch, maxRetries: 0 });
  return { client, sent };
}

describe("the selector of an erasure", () => {
  it.each([
    [
      { respondentId: "jo", email: "jo@x.example", surveySlug: "nps" },
      "?respondentId=jo&email=jo%40x.example&surveySlug=nps",
    ],
    [{ surveySlug: "nps" }, "?surveySlug=nps"],
    [{ account: true as const }, "?account=true"],
  ])("is sent as it is: %j", async (selector, query) => {
    const { client, sent } = watchedClient();
    await client.privacy.erase(selector);
    expect(sent).toEqual([query]);
  });

  it("compiles for a person, a survey or everything, and for nothing between", () => {
    const { privacy } = watchedClient().client;
    const person: { id?: string } = {};
    const calls = [
      // @ts-expect-error -- nothing named
      () => privacy.erase({}),
      // @ts-expect-error -- everything, and yet something
      () => privacy.erase({ account: true, surveySlug: "nps" }),
      // @ts-expect-error -- everything, and a person
      () => privacy.erase({ account: true, respondentId: "jo" }),
      // @ts-expect-error -- not everything is nothing
      () => privacy.erase({ account: false }),
      // @ts-expect-error -- a word of the wire, not of this method
      () => privacy.erase({ account: "true" }),
      // @ts-expect-error -- an undefined person would leave the survey alone
      () => privacy.erase({ respondentId: person.id, surveySlug: "nps" }),
      // @ts-expect-error -- a misspelt selector
      () => privacy.erase({ respondentid: "jo" }),
    ];
    expect(calls).toHaveLength(7);
  });

  it.each([
    [{}, "erase needs respondentId, email, surveySlug or account: true."],
    [
      { respondentId: undefined, surveySlug: "nps" },
      "given respondentId without a value; nothing was erased",
    ],
    [{ email: "", surveySlug: "nps" }, "given email without a value"],
    [{ surveySlug: undefined }, "given surveySlug without a value"],
    [{ account: "true" }, "given account without a value"],
    [{ account: true, surveySlug: "nps" }, "takes no other selector"],
    [{ respondentid: "jo" }, 'erase has no selector "respondentid"'],
  ])("from JavaScript refuses %j before anything is sent", async (selector, message) => {
    const { client, sent } = watchedClient();
    await expect(client.privacy.erase(selector as { account: true })).rejects.toThrow(message);
    expect(sent).toEqual([]);
  });
});
