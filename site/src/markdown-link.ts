import { defineRouteMiddleware } from "@astrojs/starlight/route-data";

/** Each page names itself as Markdown, for programs that read it. */
export const onRequest = defineRouteMiddleware(({ locals, url }) => {
  const { entry, head } = locals.starlightRoute;
  if (entry.id === "404" || entry.id === "") return;
  const href = url.pathname.replace(/\/$/, ".md");
  head.push({ tag: "link", attrs: { rel: "alternate", type: "text/markdown", href } });
});
