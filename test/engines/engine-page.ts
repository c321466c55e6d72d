/** A page in any engine, with what every engine can do. Keys and clicks are real ones. */
export interface EnginePage {
  goto(url: string): Promise<void>;
  /** The value of an expression, as JSON carries it. */
  evaluate<Value>(expression: string): Promise<Value>;
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Clicks at a point of the viewport. */
  clickAt(x: number, y: number): Promise<void>;
}

export interface Engine {
  page: EnginePage;
  close(): Promise<void>;
}

/** Finds the first match in the page and in the widget's open shadow root. */
const find = (selector: string) =>
  `[document, ...[...document.querySelectorAll("afterword-view")].map((view) => view.shadowRoot)]
    .map((root) => root?.querySelector(${JSON.stringify(selector)})).find(Boolean)`;

export async function waitFor(page: EnginePage, expression: string): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await page.evaluate<boolean>(`!!(${expression})`))) {
    if (Date.now() > end) throw new Error(`This never came true in the page: ${expression}`);
  }
}

export const waitForElement = (page: EnginePage, selector: string) => waitFor(page, find(selector));

export async function click(page: EnginePage, selector: string): Promise<void> {
  await waitForElement(page, selector);
  const [x = 0, y = 0] = await page.evaluate<number[]>(
    `((box) => [box.x + box.width / 2, box.y + box.height / 2])((${find(selector)}).getBoundingClientRect())`,
  );
  await page.clickAt(Math.round(x), Math.round(y));
}

export const textOf = (page: EnginePage, selector: string) =>
  page.evaluate<string>(`(${find(selector)})?.textContent ?? ""`);
