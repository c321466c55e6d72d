import { readFileSync } from "node:fs";
import { accessibleHtml } from "./build/accessible-html.ts";
import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";

const sidebar = JSON.parse(readFileSync(new URL("generated/sidebar.json", import.meta.url), "utf8"));

export default defineConfig({
  // Set SITE_URL and SITE_BASE where the site is published; links between pages are relative and need neither.
  site: process.env.SITE_URL,
  base: process.env.SITE_BASE,
  publicDir: "generated/public",
  trailingSlash: "always",
  image: { service: passthroughImageService() },
  telemetry: false,
  integrations: [
    accessibleHtml(),
    starlight({
      title: "Afterword",
      description: "Ask people how the run of an AI agent went, and store the rating next to its trace.",
      logo: { src: "./src/logo.svg", replacesTitle: false, alt: "" },
      favicon: "/favicon.svg",
      customCss: [
        "@fontsource-variable/jetbrains-mono/index.css",
        "@fontsource-variable/newsreader/index.css",
        "./src/site.css",
      ],
      sidebar,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      credits: false,
      lastUpdated: false,
      components: { PageTitle: "./src/components/page-title.astro" },
      routeMiddleware: "./src/markdown-link.ts",
      expressiveCode: {
        themes: ["github-dark-dimmed", "github-light"],
        styleOverrides: { borderRadius: "0.6rem", codeFontSize: "0.84rem" },
      },
    }),
  ],
});
