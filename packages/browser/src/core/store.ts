/** Small strings by name, on the device where that is allowed and works, else in memory. Never throws. */
export interface Store {
  read(name: string): string | undefined;
  /** Returns whether it outlives the page. */
  write(name: string, value: string): boolean;
  forget(name: string): void;
  /** The names that begin so, in memory and on the device, whatever is allowed now. */
  names(beginning: string): string[];
}

/** A storage of the browser is used like the plain object that stands in for it. */
type Values = Record<string, string>;

/** Storage may be blocked (the getter throws), full (writing throws) or absent; then memory has to do. */
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

/** Deletes everything, as the person wants it who withdraws consent. */
export function wipe(store: Store) {
  store.names("").forEach(store.forget);
}
