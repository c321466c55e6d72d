import { startServer, type ServerConfig } from "@afterword/reference-server";

const look = { presentation: "corner", trigger: "manual", status: "active" } as const;
const config: ServerConfig = {
  projects: [
    {
      id: "shop",
      name: "Shop",
      allowedOrigins: ["*"],
      surveys: [{ id: "sat", slug: "sat", type: "csat", question: "How was it?", ...look }],
    },
  ],
  rateLimits: false, // in tests: hundreds of requests come from one address
};

/** Close it with `await using server = await startShop()`. */
export async function startShop() {
  const server = await startServer({ config }); // server.url, server.projects[0].publishableKey and secretKey
  const answers = Array.from({ length: 200 }, (_, index) => ({
    rating: 1 + (index % 5),
    text: `response ${index}`,
  }));
  await server.seed("shop", answers);
  return server;
}
