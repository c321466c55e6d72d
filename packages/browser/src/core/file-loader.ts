// Browsers cache a failed module import for the life of the page, so a retry needs another URL.
let again = "";

/** Imports modules beside the one at `base`, by name without `.js`, with the same `?version`. */
export const fileLoader =
  (base: string) =>
  <Module>(name: string): Promise<Module> =>
    import(base.replace(/[^/?]*(\?.*)?$/, `${name}.js$1`) + again).catch((error) => {
      again += "?";
      throw error;
    });
