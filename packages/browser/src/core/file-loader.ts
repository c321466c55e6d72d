// Browsers remember for as long as the page lives that a module did not arrive; under another address it is tried again.
let again = "";

/** Fetches modules that lie beside the one at `base`, by their name without `.js` and of the same `?version`. */
export const fileLoader =
  (base: string) =>
  <Module>(name: string): Promise<Module> =>
    import(base.replace(/[^/?]*(\?.*)?$/, `${name}.js$1`) + again).catch((error) => {
      again += "?";
      throw error;
    });
