/**
 * The part of Preact that a tree without state, hooks, keys, refs and raw markup needs. The bundle of the script tag
 * has it in Preact's place, which costs 4,100 bytes of brotli there; from npm the widget is drawn by Preact itself.
 * A test draws every state with both and compares.
 */
type Child = VirtualElement | string | number | boolean | null | undefined | Child[];

interface VirtualElement {
  type: string;
  props: Props;
  /** Marks what JSX has made, as in Preact: no JSON can say `undefined`, so data never passes for an element. */
  constructor: undefined;
}

type Props = { children?: Child } & Record<string, unknown>;

/** A node that remembers from what it was drawn, and what was drawn into it, place by place. */
type Drawn = ChildNode & { from?: VirtualElement; places?: (Drawn | undefined)[] } & Record<string, unknown>;

const vectors = "http://www.w3.org/2000/svg";

/** What JSX compiles to. A component is called at once: it has no state that would need a place of its own. */
export function jsx(type: string | ((props: Props) => Child), props: Props): Child {
  return typeof type === "function" ? type(props) : { type, props, constructor: undefined };
}
export { jsx as jsxs };

/** Several children without an element around them. */
export const Fragment = ({ children }: Props): Child => children;

/** Makes what stands in a parent equal to the children: as many places each time, some of them empty. */
export function render(children: Child, parent: Node): void {
  const places = ((parent as Drawn).places ??= []);
  let next: Drawn | undefined;
  // Backwards, so that it is known before which node each one stands.
  for (const [index, child] of [...[children].flat(9).entries()].reverse()) {
    const old = places[index];
    const node = child == null || typeof child === "boolean" ? undefined : draw(child as string, old, parent);
    if (node !== old) {
      old?.remove();
      if (node) parent.insertBefore(node, next ?? null);
      places[index] = node;
    }
    next = node ?? next;
  }
}

/** The node for a child, which is the old one where that fits. */
function draw(child: string | number | VirtualElement, old: Drawn | undefined, parent: Node): Drawn {
  const { ownerDocument } = parent;
  if (child.constructor !== undefined) {
    const text = old && !old.from ? old : (ownerDocument!.createTextNode("") as unknown as Drawn);
    if (text.data !== `${child as string}`) text.data = child;
    return text;
  }
  const { type, props } = child;
  const space = type === "svg" ? vectors : (parent as Element).namespaceURI;
  const isSame = old?.from?.type === type;
  const node = isSame
    ? old
    : (ownerDocument!.createElementNS(space ?? "http://www.w3.org/1999/xhtml", type) as unknown as Drawn);
  const before = isSame ? old.from!.props : {};
  for (const name in { ...before, ...props }) {
    const value = props[name];
    if (name !== "children" && value !== (/^(value|checked)$/.test(name) ? node[name] : before[name]))
      set(node, name, value);
  }
  node.from = child;
  render(props.children, node);
  return node;
}

function set(node: Drawn, name: string, value: unknown) {
  const element = node as unknown as Element;
  if (name.startsWith("on")) node[name.toLowerCase()] = value;
  else if (name in node && element.namespaceURI !== vectors) node[name] = value;
  else if (value == null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, `${value as string}`);
}
