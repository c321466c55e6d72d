import { errorName } from "../errors/error-name.ts";

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
export const safeLogger = (logger: Logger): Logger => ({
  debug: safeListener((message) => logger.debug(message)),
  info: safeListener((message) => logger.info(message)),
  warn: safeListener((message) => logger.warn(message)),
  error: safeListener((message) => logger.error(message)),
});

/** A listener whose errors, thrown or rejected, go to `failed` without their words and stop nothing. Default: it does nothing. */
export function safeListener<Arguments extends readonly unknown[]>(
  listener: ((...given: Arguments) => unknown) | undefined,
  failed: (name: string) => void = () => undefined,
): (...given: Arguments) => void {
  const report = (error: unknown) => failed(errorName(error));
  return (...given) => {
    try {
      const result = listener?.(...given);
      if (typeof result === "object") Promise.resolve(result).catch(report);
    } catch (error) {
      report(error);
    }
  };
}
