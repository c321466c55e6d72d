import { type Extension } from "./clause.ts";

/** An endpoint as the kit knows it, from section 4 of the contract. */
export interface KnownEndpoint {
  method: "GET" | "POST" | "DELETE";
  path: string;
  key: "publishable" | "secret";
  /** Largest body in KiB. */
  bodyLimit?: number;
  /** Fields of the query. */
  query: readonly string[];
  /** The code of a body of the wrong shape. */
  invalidBody?: string;
  extension?: Extension;
}

const publicRoute = { key: "publishable", query: ["key"], invalidBody: "invalid_body" } as const;
const publicPost = { method: "POST", bodyLimit: 256, ...publicRoute } as const;
const secret = { key: "secret", query: [] } as const;
const selectors = ["respondentId", "email", "surveySlug"];

/** The endpoints of the contract. */
export const endpoints: KnownEndpoint[] = [
  { ...publicPost, path: "/v1/sdk/bootstrap", query: ["key", "userId"] },
  { ...publicPost, path: "/v1/sdk/responses" },
  { ...publicPost, path: "/v1/dismissals" },
  { ...secret, method: "POST", path: "/v1/sdk/tokens", bodyLimit: 32, invalidBody: "invalid_body" },
  { ...secret, method: "GET", path: "/v1/sdk/pending-scores", query: ["limit", "includeFailed", "cursor"] },
  {
    ...secret,
    method: "POST",
    path: "/v1/sdk/pending-scores/ack",
    bodyLimit: 512,
    invalidBody: "invalid_ack",
  },
  { ...secret, method: "GET", path: "/v1/privacy/export", query: selectors },
  { ...secret, method: "DELETE", path: "/v1/privacy/erase", query: [...selectors, "account"] },
  { ...publicPost, path: "/v1/sdk/tokens/check", extension: "token-check" },
  { ...publicPost, path: "/v1/shown", extension: "shown" },
  { key: "publishable", method: "GET", path: "/v1/definitions", query: ["key", "userId"] },
  { ...publicPost, path: "/v1/responses" },
];

/** The endpoints that every server has. */
export const required = endpoints.filter(({ extension }) => extension === undefined);
export const secretRoutes = required.filter(({ key }) => key === "secret");
export const posts = required.filter(({ method }) => method === "POST");
export const publicPosts = posts.filter(({ key }) => key === "publishable");
