import { type Command } from "commander";

const prefix = "AFTERWORD_";

/**
 * Removes empty variables: `${NAME:-}` in a compose file means unset. An empty host would otherwise mean
 * all addresses of the machine.
 */
export function forgetEmptyVariables(environment: Record<string, string | undefined>): void {
  for (const name of Object.keys(environment)) {
    if (name.startsWith(prefix) && environment[name] === "") delete environment[name];
  }
}

const isEmpty = (value: unknown) => value === "" || (Array.isArray(value) && value.includes(""));

/** Refuses empty flags and arguments, which scripts pass when a variable is misspelt. */
export function refuseEmptyValues(program: Command): void {
  program.hook("preAction", (_, command) => {
    for (const option of command.options) {
      if (isEmpty(command.getOptionValue(option.attributeName())))
        command.error(`error: option '${option.flags}' is empty`);
    }
    if (isEmpty(command.args)) command.error("error: an argument is empty");
  });
}
