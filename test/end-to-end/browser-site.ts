import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";

const dist = fileURLToPath(new URL("../../packages/browser/dist/", import.meta.url));

export interface Site {
  url: string;
  /** The paths that were asked for. */
  asked: string[];
  stop(): void;
}

/** A page or a script of the site. */
export interface Document {
  text: string;
  type: "text/html" | "text/javascript";
  /** Content security policy. */
  policy?: string;
}

/** A customer's site: the built files of the browser package under `/afterword/`, and pages as the test wants them. */
export async function startSite(documents: ReadonlyMap<string, Document>): Promise<Site> {
  const asked: string[] = [];
  const { url, close } = await serveLocally(async (request, reply) => {
    const address = new URL(request.url ?? "/", "http://site");
    asked.push(address.pathname);
    if (address.pathname.startsWith("/afterword/")) {
      const file = await readFile(dist + address.pathname.slice("/afterword/".length)).catch(() => undefined);
      return file
        ? reply
            .writeHead(200, { "content-type": "text/javascript", "access-control-allow-origin": "*" })
            .end(file)
        : reply.writeHead(404).end();
    }
    const document = documents.get(address.pathname);
    if (!document) return reply.writeHead(404).end();
    const policy = document.policy && { "content-security-policy": document.policy };
    const headers = { "content-type": `${document.type}; charset=utf-8`, ...policy };
    return reply.writeHead(200, headers).end(document.text);
  });
  return { url, asked, stop: () => void close() };
}
