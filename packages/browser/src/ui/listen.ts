/** Listens in the capture phase, before elements below, until the signal aborts. */
export function listen(
  target: EventTarget | null,
  types: readonly string[],
  hear: (event: Event) => void,
  signal: AbortSignal,
): void {
  for (const type of types) target?.addEventListener(type, hear, { capture: true, signal });
}
