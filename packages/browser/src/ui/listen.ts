/** Listens in the capture phase, before elements below, until the signal aborts. */
export function listen(
  target: EventTarget | null,
  types: readonly string[],
  onEvent: (event: Event) => void,
  signal: AbortSignal,
): void {
  for (const type of types) target?.addEventListener(type, onEvent, { capture: true, signal });
}
