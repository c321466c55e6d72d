import type { Context } from "../context/index.ts";

/**
 * Hears that a survey with one of these names was answered or dismissed in another tab, until it is closed. The channel
 * is open only while a survey shows, and not while the page is left: it would keep it out of the back-forward cache.
 */
export function otherTabs(
  { page, store, options }: Context,
  names: () => string[],
  endedElsewhere: (isAnswered: boolean) => void,
) {
  let channel: BroadcastChannel | undefined;
  let before = "";
  const remembered = () => names().map(store.read).join();
  const onMessage = ({ data }: MessageEvent) => {
    // Other code of the site may use a channel of this name.
    const [asked, isAnswered] = (Array.isArray(data) ? data : []) as [string, boolean];
    if (names().includes(asked)) endedElsewhere(isAnswered);
  };
  const open = () => {
    try {
      channel = new page.BroadcastChannel(`afterword:${options.key}`);
      channel.addEventListener("message", onMessage);
    } catch {
      // Browsers that block storage may block it too; then tabs do not coordinate.
    }
  };
  const close = () => {
    channel?.close();
    channel = undefined;
  };
  const onPage = ({ type, persisted }: PageTransitionEvent) => {
    const now = remembered();
    if (type === "pagehide") close();
    else if (persisted) {
      open();
      if (now !== before) endedElsewhere(true);
    }
    before = now;
  };
  open();
  for (const type of ["pagehide", "pageshow"]) page.addEventListener(type, onPage as EventListener);
  return {
    tell: (asked: string, isAnswered: boolean) => channel?.["postMessage"]([asked, isAnswered]),
    close() {
      close();
      for (const type of ["pagehide", "pageshow"]) page.removeEventListener(type, onPage as EventListener);
    },
  };
}
