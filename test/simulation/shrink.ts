import { play, type Played } from "./play.ts";

const mostPlays = 80;
const mostLines = 80;
const longestLine = 240;

/**
 * Leaves out what happened in a world, half by half and then in smaller parts (delta debugging, Zeller 1999), for as long as the
 * same rule breaks. Returns the shortest history that was found, with what matters least removed from its lines.
 */
export async function shrunk(first: Played): Promise<string[]> {
  let best = first;
  let plays = 0;
  for (let size = Math.ceil(first.actions.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < best.actions.length && plays < mostPlays;) {
      const kept = new Set([...best.actions.slice(0, from), ...best.actions.slice(from + size)]);
      const played = await play(first.seed, { kept });
      plays += 1;
      if (played.broken?.rule === first.broken!.rule) best = played;
      else from += size;
    }
  }
  const { broken, lines, actions } = best;
  const told = lines.filter((line) => !line.includes('{"scores":[]')).map(shortLine);
  const left = told.length > mostLines ? [`… ${told.length - mostLines} earlier lines`] : [];
  const title = `With ${actions.length} of ${first.actions.length} actions: ${broken!.message}`;
  return [title, ...left, ...told.slice(-mostLines)];
}

function shortLine(line: string): string {
  const short = line
    .replaceAll(/st[12]\.\w+\.[\w-]+/g, "TOKEN")
    .replaceAll(/"(key|surveys)":("[^"]*"|\[.*?\}\]),?/g, "");
  return short.length > longestLine ? `${short.slice(0, longestLine)}…` : short;
}
