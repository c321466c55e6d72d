/** A drawing in a box of 24 units that takes the colour of the text around it. */
export function Icon({ path, isRound }: { path: string; isRound?: boolean }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      {isRound && <circle cx="12" cy="12" r="9.5" />}
      <path d={path} />
    </svg>
  );
}
