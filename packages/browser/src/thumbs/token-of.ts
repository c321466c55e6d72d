import type { RatedRun } from "../core/options/index.ts";

/** Gets the token of a run once, and anew after it was dropped or could not be had. */
export function tokenOf({ token, getToken }: Partial<RatedRun>) {
  let known = token ? Promise.resolve(token) : undefined;
  const drop = () => void (getToken && (known = undefined));
  const get = async () => {
    known ??= Promise.resolve(getToken!());
    known.catch(drop);
    return known;
  };
  return { get, drop };
}
