import { errorName } from "../errors/error-name.ts";

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
