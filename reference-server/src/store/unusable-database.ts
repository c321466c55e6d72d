/** The database cannot be used as it is, and nothing was changed; the message says what to do. */
export class UnusableDatabase extends Error {
  /** Whether the `--db` setting itself is wrong. Default: the setting is right, and the database is not. */
  readonly isSettingWrong: boolean;

  constructor(
    message: string,
    { isSettingWrong = false, ...options }: ErrorOptions & { isSettingWrong?: boolean } = {},
  ) {
    super(message, options);
    this.name = "UnusableDatabase";
    this.isSettingWrong = isSettingWrong;
  }
}
