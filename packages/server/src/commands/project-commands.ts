import { identifier } from "@afterword/protocol";
import {
  configChange,
  type DesiredProject,
  eraseResponses,
  findProject,
  isOriginPattern,
  type Project,
  timestamp,
  UsageError,
} from "@afterword/reference-server/internal";
import { auditedSelection } from "../audit/audited-selection.ts";
import { inRoom, rememberedIn } from "../audit/erasure-log.ts";
import { changeDirectory, type OperatedService } from "../administration/operated-service.ts";
import { commandGroup, defineCommand } from "./define-command.ts";
import { argument, confirmedOption, erasureLogOption, repeatable } from "./flags.ts";
import { counted, table } from "./table.ts";
import { confirm } from "./terminal.ts";

const projectId = argument(
  (text) => (identifier(64).safeParse(text).success && /^\S+$/.test(text) ? text : undefined),
  "A project id has 1 to 64 characters and no spaces.",
);

const origin = argument(
  (text) => (isOriginPattern(text) ? text : undefined),
  "Pass an origin such as https://app.example or https://*.example, or * for all.",
);

/** Creates a project with one key of each kind. @throws UsageError when the id is taken */
async function createProject(service: OperatedService, project: Omit<DesiredProject, "surveys">) {
  const material = { now: service.clock.now(), masterKeys: service.masterKeys };
  const { keys, secretKeys } = await changeDirectory(service, (stored) => {
    if (stored.some(({ id }) => id === project.id))
      throw new UsageError(`The project "${project.id}" already exists: choose another id.`);
    const created = configChange([{ ...project, surveys: [] }], [], material);
    return [created, created];
  });
  const publishableKey = keys.find(({ kind }) => kind === "publishable")!.publishableKey!;
  return { ...project, publishableKey, secretKey: secretKeys.get(project.id)! };
}

/** New keys, as people read them. */
export const keyLines = ({ publishableKey, secretKey }: { publishableKey?: string; secretKey?: string }) => [
  publishableKey && `  publishable key  ${publishableKey}   for pages`,
  secretKey && `  secret key       ${secretKey}   for servers only`,
  secretKey && "Save the secret key now: only its hash is stored, and it cannot be shown again.",
];

const create = defineCommand({
  name: "project create",
  description:
    "Create a project with a publishable and a secret key; `apply` sets its gating, which is off until then",
  example: "project create shop --origin https://shop.example",
  options: (command) =>
    command
      .argument("<id>", "id of the project", projectId)
      .option("--name <name>", "display name")
      .option("--origin <origin>", "origin of pages that may ask; repeatable", repeatable(origin)),
  schema: "create",
  async work({ service, flags, audit }, id) {
    const { name = id, origin: allowedOrigins = [] } = flags;
    const changed = { name, allowedOrigins, gating: {} };
    const created = await audit.change({ action: "project-create", projectId: id, changed }, () =>
      createProject(service, { id, ...changed }),
    );
    return {
      json: created,
      lines: [`Created the project ${created.id}.`, ...keyLines(created)],
      remarks: [
        allowedOrigins.length === 0 &&
          "No page may ask yet: run `apply` with a file that has allowedOrigins.",
      ],
    };
  },
});

function projectFields(project: Project) {
  const { id, name, allowedOrigins, gating, surveysById, activeSurveys, keys } = project;
  return {
    id,
    name,
    allowedOrigins,
    gating,
    surveys: surveysById.size,
    activeSurveys: activeSurveys.length,
    keys: keys.filter((key) => key.revokedAt === undefined).length,
    createdAt: timestamp(project.createdAt),
  };
}

const list = defineCommand({
  name: "project list",
  description: "List the projects",
  example: "project list",
  options: (command) => command,
  async work({ service }) {
    const projects = service.directory.projects.map(projectFields);
    const rows = projects.map((one) => [
      one.id,
      one.name,
      `${one.activeSurveys} of ${one.surveys}`,
      String(one.keys),
      one.allowedOrigins.join(" "),
    ]);
    const heading = ["id", "name", "active surveys", "keys", "origins"];
    return {
      json: { projects },
      lines: [rows.length === 0 ? "There is no project yet: run `project create`." : table(heading, rows)],
    };
  },
});

const purge = defineCommand({
  name: "project purge",
  description: "Erase all responses, dismissals and suppression of a project; keeps keys and surveys",
  example: "project purge shop --erasure-log /var/lib/afterword-erasures/log.jsonl",
  options: (command) =>
    command
      .argument("<id>", "id of the project", projectId)
      .addOption(erasureLogOption())
      .addOption(confirmedOption()),
  async work(session, id) {
    const { service, audit } = session;
    const project = findProject(service.directory, id);
    await confirm(
      session,
      `All responses and dismissals of the project ${id} will be permanently deleted.`,
      id,
    );
    // Before the purge, which destroys the key of the hashes.
    const selection = auditedSelection(project, {});
    // Once begun, the purge completes and is audited.
    session.onInterrupt();
    const intent = { action: "erase", ...selection, counts: {} } as const;
    const erased = await audit.change(intent, async (addResults) => {
      const hooks = inRoom(service.store.administration.room, rememberedIn(service.erasureLog));
      const reply = await eraseResponses(service, project, { account: "true" }, { hooks });
      const { responsesDeleted = 0, dismissalsDeleted = 0 } = reply;
      addResults({ counts: { responsesDeleted, dismissalsDeleted } });
      return reply;
    });
    const { responsesDeleted = 0, dismissalsDeleted = 0, note } = erased;
    return {
      json: { projectId: id, ...erased },
      lines: [
        `Erased ${counted(responsesDeleted, "response")} and ${counted(dismissalsDeleted, "dismissal")} of ${id}.`,
        note,
      ],
    };
  },
});

export const projectCommands = commandGroup(
  "project",
  "Create, list and purge projects",
  create,
  list,
  purge,
);
