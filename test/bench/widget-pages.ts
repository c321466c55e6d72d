import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../../packages/browser/dist", import.meta.url));

const survey = {
  id: "bench",
  slug: "bench",
  type: "nps",
  question: "How likely are you to recommend us?",
  followUpQuestion: "Why?",
  presentation: "corner",
  trigger: "auto",
};

/** The service's one answer: with a survey to show for the key `aw_pk_shown`, with none for any other. */
const bootstrap = (key: string) =>
  key === "aw_pk_shown"
    ? { surveys: [survey], suppression: [], showTokens: { bench: "st1.bench" } }
    : { surveys: [], suppression: [], showTokens: {} };

const tag = (key: string) =>
  `<script async src="/afterword.js" data-key="${key}" data-base-url=""></script>
   <script>document.querySelector("script").dataset.baseUrl = location.origin</script>`;

/** Pages that differ in one script only. */
const bodies: Record<string, string> = {
  "/empty": "<input type=radio>",
  "/shown": tag("aw_pk_shown"),
  "/idle": tag("aw_pk_idle"),
  "/thumbs": `${tag("aw_pk_idle")}<script type="module" src="/afterword-thumbs.js"></script>
    <afterword-thumbs survey-id="bench" session-id="first" token="st2.bench"></afterword-thumbs>`,
  "/rival": `<script src="/rival/array.js"></script>
    <script>posthog.init("phc_bench", { api_host: location.origin })</script>`,
};

/** Serves the pages, the built widget, and from a folder of its own the files of another one. */
export async function serveWidgetPages(rival?: string): Promise<{ url: string; stop: () => void }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    const send = (type: string, body: string | Buffer) =>
      void response.writeHead(200, { "content-type": type }).end(body);
    const body = bodies[pathname];
    if (body) return send("text/html", `<!doctype html><html lang=en><body>${body}`);
    if (pathname === "/v1/sdk/bootstrap") {
      let sent = "";
      for await (const chunk of request) sent += chunk;
      return send("application/json", JSON.stringify(bootstrap((JSON.parse(sent) as { key: string }).key)));
    }
    if (!pathname.endsWith(".js")) return send("application/json", "{}");
    const folder = rival && pathname.startsWith("/rival/") ? rival : dist;
    const file = await readFile(`${folder}${pathname.replace("/rival", "")}`).catch(() => "");
    return send("text/javascript", file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => server.close().closeAllConnections(),
  };
}
