import { type Application } from "./app.ts";

/** The part of msw's `http` that is used; the caller brings msw. */
export interface MswHttp<Handler> {
  all(path: string, resolver: (info: { request: Request }) => Promise<Response>): Handler;
}

/**
 * Handlers for msw that pass requests to the real server, so that a front-end test needs no port.
 * @example
 * import { http } from "msw";
 * import { setupServer } from "msw/node";
 * setupServer(...mswHandlers(http, await createApp(), "https://feedback.example")).listen();
 */
export function mswHandlers<Handler>(
  http: MswHttp<Handler>,
  { app }: Pick<Application, "app">,
  baseUrl: string,
): Handler[] {
  // Like the SDKs, accept a trailing slash.
  const base = baseUrl.replace(/\/+$/, "");
  const answer = async ({ request }: { request: Request }) => app.fetch(await withoutBase(request, base));
  return [http.all(`${base}/*`, answer)];
}

/**
 * Removes the path of the base URL, which the server's routes do not have. Method, headers and body are passed one by
 * one, because the `Request` of vitest's jsdom environment does not copy them from another request.
 */
async function withoutBase(request: Request, base: string): Promise<Request> {
  const url = new URL(request.url);
  const prefix = new URL(base).pathname.replace(/\/$/, "");
  url.pathname = url.pathname.slice(prefix.length);
  const { method, headers } = request;
  const body = request.body === null ? undefined : await request.arrayBuffer();
  return new Request(url.href, { method, headers, body });
}
