import { sinkChoices } from "./sink-choice.ts";

const scoreName = "one name for the scores of all surveys; default afterword. and the survey's id";

/** Options of every command, as Commander declares them, and their help. */
const ofAll = {
  "--base-url <url>": "address of the service; default AFTERWORD_BASE_URL",
  "--config <file>": "settings as JSON; flags and variables override it",
  "--timeout <duration>": "timeout of one attempt; default 10s",
  "--json": "write results as JSON, one value per line",
};

/** Further options of each command. */
const ofOne = {
  forward: {
    "--sink <name...>": `destinations: ${Object.keys(sinkChoices).join(", ")}; default jsonl`,
    "--out <file>": "file of the jsonl sink",
    "--once": "deliver what is there, then exit",
    "--dry-run": "show what would be delivered; deliver and acknowledge nothing",
    "--concurrency <number>": "maximum concurrent calls of the sink; default 8",
    "--poll-interval <duration>": "time between polls of an empty queue; default 2s",
    "--ack-interval <duration>": "longest delay of an acknowledgement; default 1s, at most 10s",
    "--sink-timeout <duration>": "timeout of one call of the sink; default 30s",
    "--stalled-after <duration>": "how long nothing may be delivered before /readyz fails; default 5m",
    "--admin-port <port>": "serve /healthz, /readyz and /metrics; 0 picks a free port",
    "--admin-host <host>": "the address to serve them on; default 127.0.0.1",
    "--include-failed": "also deliver scores that were marked as failed, each once",
    "--text <policy>": "texts of scores: include or omit; default omit, for jsonl include",
    "--score-name <name>": scoreName,
  },
  mint: {
    "--respondent <id>": "who is asked",
    "--session <id>": "the session that the rating belongs to",
    "--observation <id>": "the observation within the session",
    "--task-type <name>": "for segmentation",
    "--survey <id>": "only for this survey; default all",
  },
  pending: {
    "--include-failed": "also scores that were marked as failed",
    "--count": "print only their number",
  },
  ack: {
    "--state <state>": "delivered or failed",
    "--reason <text>": "why they failed, for the results' queue: at most 80 characters, nothing personal",
    "--dry-run": "mark nothing",
  },
  export: {
    "--respondent <id>": "of this person",
    "--email <address>": "of this imported person",
    "--survey <slug>": "of this survey",
  },
  erase: {
    "--respondent <id>": "of this person",
    "--email <address>": "of this imported person",
    "--survey <slug>": "of this survey; with a person, what they said there",
    "--account": "everything of the project",
    "--sink <name...>": "also the person's scores there",
    "--forwarder-hold <duration>":
      "how long a running forwarder may still push; default 2m; use 0s if none runs",
    "--again <file>": "output of an earlier, incomplete erase, to delete its scores too",
    "--out <file>": "file of the jsonl sink",
    "--score-name <name>": "the --score-name of forward",
    "--dry-run": "count what would be erased",
    "--yes": "do not ask",
  },
  ask: {
    "--publishable-key <key>": "default AFTERWORD_PUBLISHABLE_KEY",
    "--slug <slug>": "which survey; default the first that may be shown",
    "--language <tag>": "ask in this language, such as de; default the survey's own words",
    "--respondent <id>": "who is asked; default an anonymous conversation",
    "--session <id>": "mint first, so that the rating is linked to this session",
    "--observation <id>": "the observation within the session",
    "--task-type <name>": "for segmentation",
  },
  doctor: {
    "--sink <name...>": "check these sinks",
    "--out <file>": "file of the jsonl sink",
  },
};

export type CommandName = keyof typeof ofOne;

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;
type Option = keyof typeof ofAll | { [Name in CommandName]: keyof (typeof ofOne)[Name] }[CommandName];
type NameOf<One> = One extends `--${infer Name} <${string}` | `--${infer Name}` ? CamelCase<Name> : never;
type ValueOf<One> = One extends `${string}...>` ? string[] : One extends `${string}>` ? string : boolean;

/**
 * All flags, unparsed; a command gets those that are listed for it. The secret key is not among them: every user of the
 * machine can see flags.
 */
export type Flags = { [One in Option as NameOf<One>]?: ValueOf<One> };

/** The options of a command, each with its help. */
export const optionsOf = (name: CommandName): [option: string, help: string][] =>
  Object.entries({ ...ofAll, ...ofOne[name] });
