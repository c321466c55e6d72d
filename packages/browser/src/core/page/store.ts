/** Small strings by name: on the device if that is allowed and works, otherwise in memory. Never throws. */
export type Store = ReturnType<typeof createStore>;

/** Lets browser storage and its in-memory substitute be used the same way. */
type Values = Record<string, string>;

/** Falls back to memory if storage is blocked (the getter throws), full (writing throws) or absent. */
export function createStore(open: () => Storage | null, prefix: string, isAllowed: () => boolean) {
  const memory: Values = {};
  function device(): Values {
    try {
      return (open() as Values | null) ?? memory;
    } catch {
      return memory;
    }
  }
  const values = () => (isAllowed() ? device() : memory);
  return {
    read: (name: string): string | undefined => memory[prefix + name] ?? values()[prefix + name],
    /** Returns whether it outlives the page. */
    write(name: string, value: string): boolean {
      name = prefix + name;
      delete memory[name];
      try {
        values()[name] = value;
      } catch {
        memory[name] = value;
      }
      return !memory[name];
    },
    forget(name: string) {
      delete memory[prefix + name];
      delete device()[prefix + name];
    },
    /** Names with this prefix, in memory and on the device, whether or not storing is allowed now. */
    names: (beginning: string) =>
      Object.keys({ ...memory, ...device() })
        .filter((name) => name.startsWith(prefix + beginning))
        .map((name) => name.slice(prefix.length)),
  };
}

/** Deletes everything, for a person who withdraws consent. */
export function wipe(store: Store) {
  store.names("").forEach(store.forget);
}

/** Parses stored JSON; `undefined` if there is none or it is invalid. */
export function parseJson<Kept>(text: string | undefined): Kept | undefined {
  try {
    return (JSON.parse(text!) as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}
