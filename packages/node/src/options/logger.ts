/** Where the package writes; `console` fits. Lines never hold keys or personal data. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

const ignore = () => undefined;

/** The default: a library says nothing by itself. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
