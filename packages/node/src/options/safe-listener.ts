/** A listener whose errors, thrown or rejected, go to `failed` by their name and stop nothing. Default: it does nothing. */
export function safeListener<Arguments extends readonly unknown[]>(
  listener: ((...given: Arguments) => unknown) | undefined,
  failed: (errorName: string) => void = () => undefined,
): (...given: Arguments) => void {
  const report = (error: unknown) =>
    failed(error instanceof Error ? error.name : "something that is not an error");
  return (...given) => {
    try {
      const told = listener?.(...given);
      if (told instanceof Promise) told.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
