import { InvalidArgumentError } from "commander";
import { identifier } from "@afterword/protocol";
import {
  configChange,
  type DesiredProject,
  eraseResponses,
  findProject,
  type GatingRules,
  isOriginPattern,
  type Project,
  randomSecrets,
  timestamp,
  UsageError,
} from "@afterword/reference-server/internal";
import { auditedSelection } from "../audit/audited-selection.ts";
import { inRoom, rememberedIn } from "../audit/erasure-log.ts";
import { changeDirectory, type OperatedService } from "../administration/operated-service.ts";
import { counted } from "./counted.ts";
import { confirmedOption, erasureLogOption, type DatabaseFlags } from "./database-flags.ts";
import { commandGroup, defineCommand, type Session } from "./define-command.ts";
import { durationArgument } from "./duration-argument.ts";
import { table } from "./table.ts";

interface ProjectFlags extends DatabaseFlags {
  name?: string;
  origin?: string[];
  quietPeriod?: number;
  monthlyCap?: number;
  surveyMaximum?: number;
}

function projectId(text: string): string {
  if (identifier(64).safeParse(text).success && /^\S+$/.test(text)) return text;
  throw new InvalidArgumentError("A project id has 1 to 64 characters and no spaces.");
}

function origins(text: string, earlier: string[] = []): string[] {
  if (isOriginPattern(text)) return [...earlier, text];
  throw new InvalidArgumentError(
    "Pass an origin such as https://app.example or https://*.example, or * for all.",
  );
}

const off = "off";
const quietPeriod = durationArgument({ zero: off });

function wholeNumber(text: string): number {
  if (text === off) return 0;
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Pass a whole number from 1, or off.");
}

/** Rules that are off are absent. */
function gatingOf({ quietPeriod, monthlyCap, surveyMaximum }: ProjectFlags): GatingRules {
  return {
    ...(quietPeriod && { quietPeriodInMs: quietPeriod }),
    ...(monthlyCap && { monthlyCap }),
    ...(surveyMaximum && { surveyMaximum }),
  };
}

/** Creates a project with one key of each kind. @throws UsageError when the id is taken */
async function createProject(service: OperatedService, project: Omit<DesiredProject, "surveys">) {
  const newSecrets = (id: string) => service.masterKeys.seal(id, randomSecrets());
  const material = { now: service.clock.now(), newSecrets };
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
    "Create a project with a publishable and a secret key; by default no page may ask and gating is off",
  example: "project create shop --origin https://shop.example --quiet-period 30d",
  options: (command) =>
    command
      .argument("<id>", "id of the project", projectId)
      .option("--name <name>", "display name")
      .option("--origin <origin>", "origin of pages that may ask; repeatable", origins)
      .option("--quiet-period <duration>", "minimum time between two asks of a person, or off", quietPeriod)
      .option("--monthly-cap <number>", "maximum asks of a person within 30 days, or off", wholeNumber)
      .option("--survey-maximum <number>", "maximum responses of each survey, or off", wholeNumber),
  schema: "create",
  async work({ service, flags, change }: Session<ProjectFlags>, id: string) {
    const { name = id, origin: allowedOrigins = [] } = flags;
    const changed = { name, allowedOrigins, gating: gatingOf(flags) };
    const created = await change({ action: "project-create", projectId: id, changed }, () =>
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

function projectFields({
  id,
  name,
  allowedOrigins,
  gating,
  createdAt,
  surveysById,
  activeSurveys,
  keys,
}: Project) {
  return {
    id,
    name,
    allowedOrigins,
    gating,
    surveys: surveysById.size,
    activeSurveys: activeSurveys.length,
    keys: keys.filter((key) => key.revokedAt === undefined).length,
    createdAt: timestamp(createdAt),
  };
}

const list = defineCommand({
  name: "project list",
  description: "List the projects",
  example: "project list",
  async work({ service }: Session) {
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
  async work({ service, terminal, change, confirm }: Session, id: string) {
    const project = findProject(service.directory, id);
    await confirm(`All responses and dismissals of the project ${id} will be permanently deleted.`, id);
    // Before the purge, which destroys the key of the hashes.
    const selection = auditedSelection(project, {});
    // Once begun, the purge completes and is audited.
    terminal.onInterrupt();
    const intent = { action: "erase", projectId: id, ...selection, counts: {} } as const;
    const erased = await change(intent, async (addResults) => {
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
