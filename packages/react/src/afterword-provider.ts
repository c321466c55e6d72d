import {
  type Afterword,
  type AfterwordOptions,
  createAfterword,
  type HeadlessAfterword,
  type Traits,
} from "@afterword/browser";
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
} from "react";
import { fault } from "./fault.ts";
import { changed, checkOptions } from "./page-client.ts";

/** A client that draws surveys itself, lets the page draw them, or both. */
export type ReactClient = Afterword & Partial<HeadlessAfterword>;

/** Who the person is, and the client: one that was started before, or the options to start one with. */
export type AfterwordProviderProps = {
  /**
   * The respondent id that your server mints for; as in `identify`, a whole number becomes text. Removing it makes the client
   * forget the person (`reset`).
   */
  userId?: string | number | bigint | null;
  /** For targeting. */
  traits?: Traits;
  children?: ReactNode;
} & (
  | {
      /** Read when the first provider of the page renders; `key` and `baseUrl` must not change. */
      options: AfterwordOptions;
      client?: undefined;
    }
  | {
      /** A client of your own, such as a headless one; create it once, outside of components. */
      client: ReactClient;
      options?: undefined;
    }
);

interface Provided {
  client: ReactClient;
  options?: AfterwordOptions;
}

const Context = createContext<Provided | undefined>(undefined);

/** React 18 warns about layout effects on a server. */
export const useBrowserLayoutEffect = typeof window === "undefined" ? useEffect : useLayoutEffect;

/** The last person passed to each client, so that a remount does not repeat it. */
const lastPersons = new WeakMap<Afterword, string>();

/**
 * Provides this page's single client to the components below it. Throws if it has neither key nor client, or if they
 * change.
 * @example
 * const options = { key: "aw_pk_…", baseUrl: "https://feedback.example.com", linkedOnly: true };
 * const App = () => <AfterwordProvider options={options}>…</AfterwordProvider>;
 */
export function AfterwordProvider(props: AfterwordProviderProps): ReactElement {
  const { options, userId, traits, children } = props;
  if (!props.client) checkOptions(options);
  // While it lives, the page has one client of a key, also through StrictMode, remounts and route changes.
  const [current] = useState<Provided>(() => ({
    client: props.client ?? createAfterword(options!),
    options,
  }));
  const { client } = current;
  if (props.client ? props.client !== client : !current.options) throw changed();
  // 0 is an id, and NaN is for the client to refuse.
  const isNamed = !!userId || typeof userId === "number" || typeof userId === "bigint";
  const person = isNamed ? JSON.stringify([`${userId}`, traits]) : "";
  const updatePerson = () => {
    if ((lastPersons.get(client) ?? "") === person) return;
    lastPersons.set(client, person);
    if (isNamed) client.identify(userId, traits);
    else client.reset();
  };
  // A new client asks the service in the next task; effects may run later, when the page is hydrated.
  if (!lastPersons.has(client)) updatePerson();
  // Runs before the effects of the components below, whose tokens are the new person's.
  useBrowserLayoutEffect(updatePerson, [client, person]);
  return createElement(Context.Provider, { value: current }, children);
}

/** @param name What needs a provider, for the error message. */
export function useProvided(name: string): Provided {
  const provided = useContext(Context);
  if (!provided) throw fault(`${name} needs an <AfterwordProvider> above it`);
  return provided;
}

/**
 * The client of this page, with the commands of `@afterword/browser`. Throws outside of a provider.
 * @example
 * const Done = () => <button onClick={useAfterword().resolve}>The task is done</button>;
 */
export const useAfterword = (): ReactClient => useProvided("useAfterword()").client;
