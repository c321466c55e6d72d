import { safeListener } from "./safe-listener.ts";

/** Receives log messages, for example `console`. They never hold keys or personal data. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

const ignore = () => undefined;

/** The default: logs nothing. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The same logger, which may lose its own lines but stops nothing. */
export const safeLogger = (logger: Logger): Logger =>
  logger === silentLogger
    ? logger
    : {
        debug: safeListener((message) => logger.debug(message)),
        info: safeListener((message) => logger.info(message)),
        warn: safeListener((message) => logger.warn(message)),
        error: safeListener((message) => logger.error(message)),
      };
