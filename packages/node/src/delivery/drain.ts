import type { Clock } from "../options/clock.ts";

/** Parts of the drain time after which pushes and then acknowledgements are cut, to leave time for what comes last. */
const deliveryShareOfDrain = 0.75;
const acknowledgingShareOfDrain = 0.9;

interface DrainSteps {
  clock: Clock;
  timeoutInMs: number;
  /** Waits for what is under way, to its acknowledgement. */
  finish: () => Promise<void>;
  /** End what is under way: pushes first, acknowledgements last. */
  cutPushes: () => void;
  cutAcks: () => void;
  /** Closes the sink. */
  close: () => Promise<void> | undefined;
}

/** Lets what is under way come to its end, within the drain time whatever hangs. */
export async function drain(steps: DrainSteps): Promise<void> {
  const { clock, timeoutInMs, finish, cutPushes, cutAcks, close } = steps;
  const drained = new AbortController();
  const after = (share: number) => clock.sleep(timeoutInMs * share, drained.signal);
  try {
    const end = after(1);
    void after(deliveryShareOfDrain).then(cutPushes);
    const cut = after(acknowledgingShareOfDrain).then(cutAcks);
    await Promise.race([finish(), cut.then(() => clock.sleep(0))]);
    await Promise.race([close(), end]);
  } finally {
    drained.abort();
  }
}
