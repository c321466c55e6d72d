import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { durationInMs, type Duration } from "@afterword/protocol/duration";

/** An option that a variable can set too: AFTERWORD_ADMIN_PORT for `--admin-port`. */
export function setting<Flags extends string>(flags: Flags, description: string): Option<Flags> {
  const option = new Option(flags, description);
  return option.env(`AFTERWORD_${option.name().replaceAll("-", "_").toUpperCase()}`);
}

export const databaseOption = () =>
  setting("--db <database>", "path of a SQLite file, or postgres://…").default("afterword.db");
export const keyFileOption = () =>
  setting("--key-file <file>", "file with the master key; AFTERWORD_MASTER_KEY can hold the key itself");
export const erasureLogOption = () =>
  setting("--erasure-log <file>", "file outside the database that records erasures");
export const auditFileOption = () =>
  setting("--audit-file <file>", "file for audit lines; default: standard error");
export const confirmedOption = () => new Option("--yes", "do not ask for confirmation");

/** Adds the flags of every command that works on a database. */
export const withDatabaseFlags = (command: Command) =>
  command
    .addOption(databaseOption())
    .addOption(keyFileOption())
    .addOption(auditFileOption())
    .option("--json", "print the result as one line of JSON");

export type DatabaseCommand = ReturnType<typeof withDatabaseFlags>;
export type DatabaseFlags = ReturnType<DatabaseCommand["opts"]>;

/** A parser of arguments. @param read `undefined` for a text that is refused with the advice */
export const argument =
  <Value>(read: (text: string) => Value | undefined, advice: string) =>
  (text: string): Value => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(advice);
    return value;
  };

/** A parser of an option that may be given several times. */
export const repeatable =
  <Value>(read: (text: string) => Value) =>
  (text: string, earlier: Value[] = []): Value[] => [...earlier, read(text)];

/** A parser of whole numbers. */
export const numberArgument = (least: number, most: number, advice: string) =>
  argument((text) => {
    const number = Number(text);
    return /^\d{1,9}$/.test(text) && number >= least && number <= most ? number : undefined;
  }, advice);

const portRule = "It is not a whole number from 0 to 65535; 0 picks a free port.";
export const portArgument = numberArgument(0, 65_535, portRule);

interface DurationLimits {
  /** The text that means 0. Default: none. */
  zero?: string;
  longest?: Duration;
}

/** A parser of durations such as `30d`, in milliseconds. */
export function durationArgument({ zero, longest }: DurationLimits = {}) {
  const longestInMs = durationInMs(longest ?? "") ?? Infinity;
  const bounds = [zero && `, or ${zero}`, longest && `; at most ${longest}`].filter(Boolean).join("");
  return argument(
    (text) => {
      const parsed = text === zero ? 0 : durationInMs(text);
      return parsed !== undefined && parsed <= longestInMs ? parsed : undefined;
    },
    `Pass a whole number with s, m, h or d, such as ${longest ?? "30d"}${bounds}. It must be more than 0.`,
  );
}
