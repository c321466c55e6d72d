/** One tab of a real browser, driven by what every engine understands: addresses, scripts and keys. */
export interface Engine {
  /** Goes there and waits until the page has loaded. */
  open(url: string): Promise<void>;
  /** Goes back in the history, as by the browser's button. */
  back(): Promise<void>;
  /** Presses these keys one after the other, as a person would; W3C names for those that are no letters. */
  press(...keys: string[]): Promise<void>;
  /** The value of an expression in the page, which must survive JSON; promises are awaited where the engine can. */
  evaluate<Value>(expression: string): Promise<Value>;
  stop(): Promise<void>;
}

/** Keys without a letter, as W3C WebDriver writes them. */
export const keys = {
  tab: "\uE004",
  enter: "\uE007",
  escape: "\uE00C",
  left: "\uE012",
  right: "\uE014",
  down: "\uE015",
};

/** The press of keys as W3C WebDriver describes it; both protocols use this form. */
export const keyActions = (pressed: readonly string[]) => [
  {
    type: "key",
    id: "keyboard",
    actions: pressed.flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]),
  },
];
