import { dayInMs, hourInMs } from "@afterword/protocol/duration";
import { dayOf, hourOf, UsageError } from "@afterword/reference-server/internal";

/** A time zone, whose days may have 23 or 25 hours. Times are milliseconds since 1970. */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat | undefined;
  /** Offsets from UTC by hour, absent for an hour in which the offset changes: asking Intl takes microseconds. */
  readonly #offsets = new Map<number, number | undefined>();

  /** @throws UsageError for a name that is no time zone's */
  constructor(name: string) {
    this.name = name;
    try {
      const format = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" });
      if (name !== "UTC") this.#format = format;
    } catch (error) {
      throw new UsageError(
        `--timezone "${name}" is no time zone: pass a name such as Europe/Berlin, or an offset such as +05:30.`,
        { cause: error },
      );
    }
  }

  /** From texts such as GMT, GMT+05:30 and GMT-00:44:30. */
  #exactOffset(at: number): number {
    const name = this.#format!.formatToParts(at).find(({ type }) => type === "timeZoneName")!.value;
    const [hours = 0, minutes = 0, seconds = 0] = (name.match(/\d+/g) ?? []).map(Number);
    return ((hours * 60 + minutes) * 60 + seconds) * (name.includes("-") ? -1000 : 1000);
  }

  /** What the clocks of the zone show at a moment, as the time that clocks in UTC show the same at. */
  local(at: number): number {
    if (!this.#format) return at;
    const hour = hourOf(Math.max(at, 0));
    if (!this.#offsets.has(hour)) {
      const [first, last] = [this.#exactOffset(hour), this.#exactOffset(hour + hourInMs - 1)];
      this.#offsets.set(hour, first === last ? first : undefined);
    }
    return at + (this.#offsets.get(hour) ?? this.#exactOffset(at));
  }

  /** The moment at which a day begins. Clocks may show midnight twice, or never. @param midnight as `local` gives it */
  startOf(midnight: number): number {
    const offsets = [midnight - dayInMs, midnight + dayInMs].map((at) => this.local(at) - at);
    const first = midnight - Math.max(...offsets);
    return this.local(first) === midnight ? first : midnight - Math.min(...offsets);
  }

  /** Whether a day begins at a moment. */
  isStart(at: number): boolean {
    return this.startOf(dayOf(this.local(at))) === at;
  }

  /** `2026-11-22`, the day of a moment. */
  day(at: number): string {
    return new Date(this.local(at)).toISOString().slice(0, 10);
  }
}

export const utc = new Zone("UTC");
