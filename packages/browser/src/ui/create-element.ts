type Value = string | number | boolean | undefined | ((event: never) => unknown);

/** Creates an element with attributes and listeners, such as `onclick`; leaves out what is `undefined`. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, Value>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") Object.assign(element, { [name]: value });
    else if (value !== undefined) element.setAttribute(name, `${value}`);
  }
  element.append(...children);
  return element;
}
