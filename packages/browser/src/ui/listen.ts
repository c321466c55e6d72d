/** Hears events on their way down, before what stands below does, until the signal. */
export function listen(
  target: EventTarget | null,
  types: readonly string[],
  hear: (event: Event) => void,
  signal: AbortSignal,
): void {
  for (const type of types) target?.addEventListener(type, hear, { capture: true, signal });
}
