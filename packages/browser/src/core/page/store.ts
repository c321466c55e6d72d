/** Small strings by name: on the device if that is allowed and works, otherwise in memory. Never throws. */
export interface Store {
  read(name: string): string | undefined;
  /** Returns whether it outlives the page. */
  write(name: string, value: string): boolean;
  forget(name: string): void;
  /** Names with this prefix, in memory and on the device, whether or not storing is allowed now. */
  names(beginning: string): string[];
}

/** Lets browser storage and its in-memory substitute be used the same way. */
type Values = Record<string, string>;

/** Falls back to memory if storage is blocked (the getter throws), full (writing throws) or absent. */
export function createStore(open: () => Storage | null, prefix: string, isAllowed: () => boolean): Store {
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
    read: (name) => memory[prefix + name] ?? values()[prefix + name],
    write(name, value) {
      name = prefix + name;
      delete memory[name];
      try {
        values()[name] = value;
      } catch {
        memory[name] = value;
      }
      return !memory[name];
    },
    forget(name) {
      delete memory[prefix + name];
      delete device()[prefix + name];
    },
    names: (beginning) =>
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
