// Browsers remember for as long as the page lives that a module did not arrive; under another address it is tried again.
let again = "";

/** Fetches a module that lies beside the one at `base`, by its name without `.js` and of the same `?version`. */
export const loadFile = <Module>(name: string, base: string): Promise<Module> =>
  import(base.replace(/[^/?]*(\?.*)?$/, `${name}.js$1`) + again).catch((error) => {
    again += "?";
    throw error;
  });
