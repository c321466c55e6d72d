import { loadFile } from "../../core/load-file.ts";
import type { Language } from "./languages.ts";

const names = "ar de es fr he hi it ja ko nl pl pt sv tr uk zh".split(" ");

/** As `languages.ts`, for files that are served as they are: each is fetched from beside this one, in its version. */
export const languages: Readonly<Record<string, () => Promise<Language>>> = Object.fromEntries(
  names.map((name) => [name, () => loadFile<Language>(`texts/${name}`, import.meta.url)]),
);
