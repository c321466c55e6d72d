const marker = Symbol.for("afterword.server.invalid-config");

/** A mistake in a config, and where it is, for example `projects[0].surveys[1].slug`. */
export interface ConfigMistake {
  path: string;
  message: string;
}

/** The config is invalid; `mistakes` lists everything that is wrong. Nothing was started. */
export class InvalidConfig extends Error {
  readonly [marker] = true;
  readonly mistakes: readonly ConfigMistake[];

  constructor(mistakes: readonly ConfigMistake[]) {
    super(mistakes.map(({ path, message }) => `${path || "config"}: ${message}`).join("\n"));
    this.name = "InvalidConfig";
    this.mistakes = mistakes;
  }

  static isInstance(error: unknown): error is InvalidConfig {
    return typeof error === "object" && error !== null && marker in error;
  }
}
