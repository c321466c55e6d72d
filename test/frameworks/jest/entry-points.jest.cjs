// A test of a project that uses jest with its defaults: CommonJS, and nothing of node_modules is transformed.
const { exports: entryPoints } = require("@afterword/node/package.json");

it.each(Object.keys(entryPoints).filter((path) => !path.endsWith(".json")))("%s loads", (path) => {
  expect(Object.keys(require(`@afterword/node${path.slice(1)}`))).not.toEqual([]);
});

it("a mint goes through a fetch of the test's own", async () => {
  const { Afterword } = require("@afterword/node");
  const minted = { tokens: { csat: "st2.token" }, suppression: [], issuedAt: "2026-11-23T09:00:00.000Z" };
  const fetch = jest.fn(async () => Response.json(minted));
  const client = new Afterword({
    secretKey: `aw_sk_${"x".repeat(24)}`,
    baseUrl: "http://service.test",
    fetch,
  });
  await expect(client.mint({ respondentId: "jo", sessionId: "run-1" })).resolves.toMatchObject(minted);
  expect(fetch).toHaveBeenCalledTimes(1);
});
