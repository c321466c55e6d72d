import { Command, InvalidArgumentError } from "commander";
import { identifier } from "@afterword/protocol";
import { durationInMs } from "@afterword/protocol/duration";
import { timestamp } from "../domain/ids-and-times.ts";
import { auditedSelection } from "../domain/selection.ts";
import { createProject, findProject, updateProject, withRules } from "../domain/manage-projects.ts";
import { eraseResponses } from "../domain/erase-responses.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type GatingRules, type ProjectRecord } from "../store/project.ts";
import { type Project } from "../domain/project-directory.ts";
import { type Service } from "../domain/service.ts";
import { isOriginPattern } from "../domain/origins.ts";
import { auditOf } from "./audit.ts";
import { confirm } from "./confirm.ts";
import { administrationCommand, confirmedOption, erasureLogOption } from "./database-flags.ts";
import { table } from "./table.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

interface ProjectFlags extends ServiceFlags {
  name?: string;
  origin?: string[];
  addOrigin?: string[];
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

function milliseconds(text: string): number {
  const duration = text === off ? 0 : durationInMs(text);
  if (duration !== undefined) return duration;
  throw new InvalidArgumentError("Pass a whole number with s, m, h or d, such as 30d, or off.");
}

function wholeNumber(text: string): number {
  if (text === off) return 0;
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Pass a whole number from 1, or off.");
}

/** The flags that `create` and `update` share. */
function withProjectOptions(command: Command): Command {
  return command
    .option("--name <name>", "display name")
    .option("--origin <origin>", "origin of pages that may ask; repeatable", origins)
    .option("--quiet-period <duration>", "minimum time between two asks of a person, or off", milliseconds)
    .option("--monthly-cap <number>", "maximum asks of a person within 30 days, or off", wholeNumber)
    .option("--survey-maximum <number>", "maximum responses of each survey, or off", wholeNumber);
}

function gatingOf({ quietPeriod, monthlyCap, surveyMaximum }: ProjectFlags): GatingRules {
  return {
    ...(quietPeriod !== undefined && { quietPeriodInMs: quietPeriod }),
    ...(monthlyCap !== undefined && { monthlyCap }),
    ...(surveyMaximum !== undefined && { surveyMaximum }),
  };
}

function create(terminal: Terminal): Command {
  const command = administrationCommand(
    "create",
    "Create a project with a publishable and a secret key; by default no page may ask and gating is off",
    "project create shop --origin https://shop.example --quiet-period 30d",
  ).argument("<id>", "id of the project", projectId);
  return withProjectOptions(command).action(async (id: string, flags: ProjectFlags) => {
    const { name = id, origin: allowedOrigins = [] } = flags;
    const changed = { name, allowedOrigins, gating: withRules({}, gatingOf(flags)) };
    const intent = { action: "project-create", projectId: id, changed } as const;
    const run = (service: Service) =>
      auditOf(terminal, flags, "project create").change(intent, () =>
        createProject(service, { id, ...changed }),
      );
    const created = await withService(flags, terminal, run, { change: "create" });
    if (flags.json) return terminal.print(JSON.stringify(created));
    terminal.print(`Created the project ${created.id}.`);
    terminal.print(`  publishable key  ${created.publishableKey}   for pages`);
    terminal.print(`  secret key       ${created.secretKey}   for servers only`);
    terminal.print("Save the secret key now: only its hash is stored, and it cannot be shown again.");
    if (allowedOrigins.length === 0)
      terminal.complain(`No page may ask yet: run \`project update ${id} --origin …\`.`);
  });
}

const settings = ["name", "allowedOrigins", "gating"] as const;

function update(terminal: Terminal): Command {
  const command = administrationCommand(
    "update",
    "Change the given settings of a project. --origin replaces all origins, --add-origin keeps the others",
    "project update shop --add-origin https://*.shop.example --monthly-cap off",
  )
    .argument("<id>", "id of the project", projectId)
    .option("--add-origin <origin>", "additional origin of pages that may ask; repeatable", origins);
  return withProjectOptions(command).action(async (id: string, flags: ProjectFlags) => {
    const { name, origin, addOrigin } = flags;
    const gating = gatingOf(flags);
    const hasRules = Object.keys(gating).length > 0;
    const asked = { name, allowedOrigins: origin ?? addOrigin, gating: hasRules ? gating : undefined };
    const given = settings.filter((setting) => asked[setting] !== undefined);
    if (given.length === 0)
      throw new UsageError("Nothing to change: pass at least one setting, as --help lists them.");
    const changedIn = (project: Partial<ProjectRecord>) =>
      Object.fromEntries(given.map((setting) => [setting, project[setting]]));
    const { record, isConfigured } = await withService(flags, terminal, async (service) => {
      const { keys, surveys } = findProject(service.directory, id);
      const isConfigured = [...keys, ...surveys].some(({ managedBy }) => managedBy === "config");
      const intent = { action: "project-update", projectId: id, changed: changedIn(asked) } as const;
      const record = await auditOf(terminal, flags, "project update").change(intent, async (learn) => {
        const wanted = { name, allowedOrigins: origin, addedOrigins: addOrigin, gating };
        const updated = await updateProject(service, id, wanted);
        learn({ changed: changedIn(updated) });
        return updated;
      });
      return { record, isConfigured };
    });
    if (isConfigured)
      terminal.complain(
        `A config file defines the project ${id}: change it there too, or the next start reverts this.`,
      );
    if (flags.json) {
      const told = Object.fromEntries(settings.map((setting) => [setting, record[setting]]));
      return terminal.print(JSON.stringify({ id, ...told }));
    }
    terminal.print(`Changed the project ${id}; running servers use it within seconds.`);
  });
}

function told({ id, name, allowedOrigins, gating, createdAt, surveysById, activeSurveys, keys }: Project) {
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

function list(terminal: Terminal): Command {
  return administrationCommand("list", "List the projects", "project list").action(
    async (flags: ServiceFlags) => {
      const projects = await withService(flags, terminal, async ({ directory }) =>
        directory.projects.map(told),
      );
      if (flags.json) return terminal.print(JSON.stringify({ projects }));
      if (projects.length === 0) return terminal.print("There is no project yet: run `project create`.");
      const rows = projects.map((one) => [
        one.id,
        one.name,
        `${one.activeSurveys} of ${one.surveys}`,
        String(one.keys),
        one.allowedOrigins.join(" "),
      ]);
      terminal.print(table(["id", "name", "active surveys", "keys", "origins"], rows));
    },
  );
}

function purge(terminal: Terminal): Command {
  return administrationCommand(
    "purge",
    "Erase all responses, dismissals and suppression of a project; keeps keys and surveys",
    "project purge shop --erasure-log /var/lib/afterword-erasures/log.jsonl",
  )
    .argument("<id>", "id of the project", projectId)
    .addOption(erasureLogOption())
    .addOption(confirmedOption())
    .action(async (id: string, flags: ServiceFlags) => {
      const reply = await withService(flags, terminal, async (service) => {
        const project = findProject(service.directory, id);
        const consequence = `All responses and dismissals of the project ${id} will be permanently deleted.`;
        await confirm(terminal, flags.yes, consequence, id);
        // Before the purge, which destroys the key of the hashes.
        const selection = auditedSelection(project, {});
        // Once begun, the purge completes and is audited.
        terminal.onInterrupt();
        const intent = { action: "erase", projectId: id, ...selection, counts: {} } as const;
        return auditOf(terminal, flags, "project purge").change(intent, async (learn) => {
          const erased = await eraseResponses(service, project, { account: "true" });
          const { responsesDeleted = 0, dismissalsDeleted = 0 } = erased;
          learn({ counts: { responsesDeleted, dismissalsDeleted } });
          return erased;
        });
      });
      if (flags.json) return terminal.print(JSON.stringify({ projectId: id, ...reply }));
      terminal.print(
        `Erased ${reply.responsesDeleted} responses and ${reply.dismissalsDeleted} dismissals of ${id}.`,
      );
      if (reply.note) terminal.print(reply.note);
    });
}

export function projectCommands(terminal: Terminal): Command {
  return new Command("project")
    .description("Create, change, list and purge projects")
    .addCommand(create(terminal))
    .addCommand(update(terminal))
    .addCommand(list(terminal))
    .addCommand(purge(terminal));
}
