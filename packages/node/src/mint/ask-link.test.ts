import { readAskLink } from "@afterword/protocol/ask-link";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { askLink, type AskLinkOptions } from "./ask-link.ts";

const run = { surveyId: "report", token: "st2.k.abc", sessionId: "run 7" };
const more = {
  observationId: "o",
  language: "de",
  theme: "dark",
  name: "A & B",
  about: "Trip to Lisbon, 12 May",
} as const;
const page = "https://example.com/ask/?v=3";

describe("a link that asks later", () => {
  it("holds the run in its fragment alone, which no browser sends to a server", () => {
    const url = new URL(askLink({ page, ...run, ...more }));
    expect(url.href.split("#")[0]).toBe(page);
    expect(readAskLink(url.hash)).toEqual({ ...run, ...more });
  });

  it.each([".", ">", ")", ",", '"', "*", "%20"])("is read as it was made, also with %s appended", (junk) => {
    const odd = { ...run, sessionId: "run (7)." };
    expect(readAskLink(new URL(askLink({ page, ...odd }) + junk).hash)).toEqual(odd);
  });

  it.each(["http://localhost:8080/ask/", "http://127.0.0.1/ask/", "http://[::1]/ask/", new URL(page)])(
    "takes the page %s",
    (own) => expect(askLink({ page: own, ...run })).toContain("#surveyId=report&token=st2.k.abc"),
  );

  it.each([
    ["page", { page: "http://example.com/ask/" }],
    ["page", { page: "/my/feedback/" }],
    ["page", { page: "https://example.com/ask/#top" }],
    ["page", { page: "https://name:secret@example.com/" }],
    ["surveyId", { surveyId: "" }],
    ["token", { token: undefined }],
    ["token", { token: "two words" }],
    ["sessionId", { sessionId: "s".repeat(257) }],
    ["observationId", { observationId: "" }],
    ["name", { name: "https://evil.example" }],
    ["about", { about: "“quoted”" }],
    ["language", { language: "german!" }],
    ["theme", { theme: "red" }],
  ])("refuses an invalid %s with an error that names it and not its value: %o", (field, given) => {
    const make = () => askLink({ page, ...run, ...given } as AskLinkOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(new RegExp(`^askLink: ${field} must be`));
    expect(make).not.toThrow(Object.values(given)[0] || "no value");
  });
});
