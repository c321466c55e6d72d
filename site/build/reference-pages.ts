import { endpoints, openApiDocument } from "../../packages/protocol/src/index.ts";
import type { Page } from "./page.ts";
import { glob, read } from "./repository.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Content {
  schema: Schema;
  example?: unknown;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters: { name: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Record<string, { description: string; content: Record<string, Content> }>;
}

const document = openApiDocument(endpoints) as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
const source = "packages/protocol/README.md";
const cell = (text = "") => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name ? { ...document.components.schemas[name], ...schema } : schema;
}

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  const among = schema.anyOf ?? schema.oneOf;
  if (among) return [...new Set(among.map(typeOf))].join(" or ");
  const { type, items } = resolve(schema);
  if (type === "array" && items) return `list of ${typeOf(items)}`;
  return [type ?? "object"].flat().join(" or ");
}

/** The fields of all forms of a body or a reply; what not every form has is not required. */
function fieldsOf({ schema }: Content): string {
  const forms = (resolve(schema).anyOf ?? [schema]).map(resolve);
  const fields = new Map(forms.flatMap(({ properties = {} }) => Object.entries(properties)));
  const rows = [...fields].map(([name, field]) => {
    const isRequired = forms.every(({ required = [] }) => required.includes(name));
    return `| \`${name}\` | ${cell(typeOf(field))} | ${isRequired ? "yes" : "no"} | ${cell(resolve(field).description)} |`;
  });
  return rows.length === 0
    ? ""
    : ["| field | type | required | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function parametersOf({ parameters }: Operation): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(
    ({ name, required, description, schema }) =>
      `| \`${name}\` | ${cell(typeOf(schema))} | ${required ? "yes" : "no"} | ${cell(description)} |`,
  );
  return `## Query\n\n${["| parameter | type | required | meaning |", "|---|---|---|---|", ...rows].join("\n")}`;
}

function contentOf(heading: string, content: Content | undefined): string {
  if (!content) return "";
  const example = content.example === undefined ? "" : json(content.example);
  return [`## ${heading}`, fieldsOf(content), example].filter(Boolean).join("\n\n");
}

function keyOf({ security, tags }: Operation): string {
  const isSecret = security.some((one) => "secretBearer" in one);
  if (isSecret)
    return "Needs the **secret key**, as `Authorization: Bearer aw_sk_…`. It must never reach a page.";
  return `Needs the **publishable key**. ${tags[0]}.`;
}

function refusalsOf({ responses }: Operation): string {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description }]) => `| ${status} | ${cell(description).replaceAll(". `", ".<br>`")} |`);
  const words = "[Errors](#7-errors) says what each code means and whether a retry can help.";
  return `## Refusals\n\n| status | codes |\n|---|---|\n${rows.join("\n")}\n\n${words}`;
}

function pageOf(path: string, method: string, operation: Operation): Page {
  const [status = "", reply] = Object.entries(operation.responses).find(([code]) => Number(code) < 400)!;
  const body = operation.requestBody?.content["application/json"];
  const parts = [
    `\`${method.toUpperCase()} ${path}\``,
    operation.description,
    keyOf(operation),
    parametersOf(operation),
    contentOf("Body", body),
    contentOf(`Reply, ${status}`, reply?.content["application/json"]),
    refusalsOf(operation),
  ];
  return {
    source,
    slug: `reference/http/${path.slice(4).replaceAll("/", "-")}-${method}`,
    title: operation.summary,
    label: `${method.toUpperCase()} ${path}`,
    description: `${method.toUpperCase()} ${path}: parameters, body, reply and refusals.`,
    body: parts.filter(Boolean).join("\n\n"),
  };
}

/** One page for each operation, from the document that a server answers with at /openapi.yaml. */
export const httpPages = (): Page[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => pageOf(path, method, operation)),
  );

const api = (path: string) => /```ts\n[\s\S]*?```/.exec(read(path))![0];

/** The public types of each package, from the reports that its API test holds. */
export function typePages(): Page[] {
  const reports = Map.groupBy(
    glob("{packages/*,reference-server}/api/*.api.md"),
    (path) => path.split("/api/")[0]!,
  );
  return [...reports].map(([folder, paths]) => {
    const name = folder.split("/").at(-1)!;
    const sorted = paths.toSorted((path) => (path.endsWith("/index.api.md") ? -1 : 0));
    const parts = sorted.map((path) => {
      const entry = path.split("/").at(-1)!.replace(".api.md", "");
      return `## @afterword/${name}${entry === "index" ? "" : `/${entry}`}\n\n${api(path)}`;
    });
    return {
      source: `${folder}/README.md`,
      slug: `reference/types/${name}`,
      title: `Types of @afterword/${name}`,
      description: `Every export of @afterword/${name} with its types, by entry point.`,
      body: parts.join("\n\n"),
    };
  });
}
