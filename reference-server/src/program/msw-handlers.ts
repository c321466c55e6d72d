import { type Application } from "./create-app.ts";

/** The part of msw's `http` that is used; msw itself is the caller's. */
export interface MswHttp<Handler> {
  all(path: string, resolver: (info: { request: Request }) => Promise<Response>): Handler;
}

/**
 * Handlers for msw that answer as the server does, because it is the server: a front-end test needs no port.
 *
 *     await using application = await createApp({ config });
 *     setupServer(...mswHandlers(http, application, "https://feedback.example"));
 */
export function mswHandlers<Handler>(
  http: MswHttp<Handler>,
  { app }: Pick<Application, "app">,
  baseUrl: string,
): Handler[] {
  // As the SDKs read it: with or without a slash at its end.
  const base = baseUrl.replace(/\/+$/, "");
  const answer = async ({ request }: { request: Request }) => app.fetch(await withoutBase(request, base));
  return [http.all(`${base}/*`, answer)];
}

/**
 * A base URL may have a path of its own, which the server's routes do not know. Method, headers and body are named one by
 * one, because the `Request` of vitest's jsdom environment copies none of them from another request.
 */
async function withoutBase(request: Request, base: string): Promise<Request> {
  const url = new URL(request.url);
  const prefix = new URL(base).pathname.replace(/\/$/, "");
  url.pathname = url.pathname.slice(prefix.length);
  const { method, headers } = request;
  const body = request.body === null ? undefined : await request.arrayBuffer();
  return new Request(url.href, { method, headers, body });
}
