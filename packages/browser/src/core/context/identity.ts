import type { Traits } from "@afterword/protocol";
import { samplePosition } from "@afterword/protocol/sampling";
import type { Page, Store } from "../page/index.ts";
import type { Respondent } from "../public/index.ts";

const device = "device";

/** 128 random bits. Not randomUUID, which pages without https lack. */
export const newId = ({ crypto }: Page) => crypto.getRandomValues(new Uint32Array(4)).join("-");

/**
 * An anonymous person is known by the conversation that the page names, else by a stored device id where that is
 * allowed, else by an id that lives as long as the page (contract section 1). Ids are long and random: anyone who
 * knows one can read and set its suppression (decision D16).
 */
export function createIdentity(store: Store, page: Page, mayStore: () => boolean, conversationId?: string) {
  let user: Respondent | undefined;
  let anonymous: Respondent | undefined;

  function recogniseAnonymous(idOfPage = newId(page)): Respondent {
    const maySeeDevice = !conversationId && mayStore();
    const id = conversationId ?? ((maySeeDevice && store.read(device)) || idOfPage);
    const isKept = maySeeDevice && store.write(device, id);
    return { id, kind: isKept ? "anon-device" : "anon-conversation", traits: {} };
  }

  return {
    current: (): Respondent => user ?? (anonymous ??= recogniseAnonymous()),
    identify(id: string, traits: Traits) {
      user = { id, kind: "identified", traits };
    },
    /** Switches to a new anonymous person. */
    reset() {
      store.forget(device);
      user = anonymous = conversationId = undefined;
    },
    /** Call after consent has changed. Stores an id that lived in memory, so that the person keeps it. */
    consentChanged(isGranted: boolean) {
      anonymous = isGranted ? recogniseAnonymous(anonymous?.id) : undefined;
    },
  };
}

/**
 * The name under which this device remembers that a person was asked, of a run if there is one; it names none of them. The
 * value is the time when the service stored the answer, in milliseconds since 1970, and no number before; of a run never.
 */
export const askedName = (
  { id }: Pick<Respondent, "id">,
  { surveyId, sessionId, observationId }: { surveyId: string; sessionId?: string; observationId?: string },
) => `asked:${samplePosition(id, [surveyId, sessionId, observationId].join())}`;

// The service suppresses surveys; this covers answers that it has not seen, or knows under another id of the person.
const mostRemembered = 96;

/** Remembers that the person was asked, under a name from `askedName`. */
export function rememberAsked({ store, page }: { store: Store; page: Page }, asked: string) {
  const ageOf = (name: string) => Number(store.read(name)?.replace("queued ", "")) || 0;
  const oldestFirst = store.names("asked:").sort((one, other) => ageOf(one) - ageOf(other));
  oldestFirst.slice(0, -mostRemembered).forEach(store.forget);
  store.write(asked, `queued ${page.Date.now()}`);
}
