export interface UnusableDatabaseOptions extends ErrorOptions {
  /** Whether the `--db` setting itself is wrong. Default: the setting is right, and the database is not. */
  isSettingWrong?: boolean;
}

/** The database cannot be used as it is, and nothing was changed; the message says what to do. */
export class UnusableDatabase extends Error {
  readonly isSettingWrong: boolean;

  constructor(message: string, { isSettingWrong = false, ...options }: UnusableDatabaseOptions = {}) {
    super(message, options);
    this.name = "UnusableDatabase";
    this.isSettingWrong = isSettingWrong;
  }
}
