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

/** A node that remembers from what it was drawn. */
type Drawn = Element & { drawnFrom?: VirtualElement } & Record<string, unknown>;

const vectors = "http://www.w3.org/2000/svg";

/** What JSX compiles to. A component is called at once: it has no state that would need a place of its own. */
export function jsx(type: string | ((props: Props) => Child), props: Props): Child {
  return typeof type === "function" ? type(props) : { type, props, constructor: undefined };
}
export { jsx as jsxs };

/** Several children without an element around them. */
export const Fragment = ({ children }: Props): Child => children;

/** Makes what stands in a parent equal to the children: a node for each, and an empty text where there is nothing to see. */
export function render(children: Child, parent: Node): void {
  for (const [index, child] of [children].flat(9).entries()) {
    const old = parent.childNodes[index] as Drawn | undefined;
    const node = draw(child as VirtualElement, old, parent);
    if (!old) parent.appendChild(node);
    else if (node !== old) old.replaceWith(node);
  }
}

/** The node for a child, which is the old one where that fits. */
function draw(child: VirtualElement | undefined, old: Drawn | undefined, parent: Node): Drawn {
  const { ownerDocument } = parent;
  if (!child || child.constructor !== undefined) {
    const text = old?.nodeType === 3 ? old : (ownerDocument!.createTextNode("") as unknown as Drawn);
    const words = typeof child === "boolean" ? "" : [child].join("");
    if (text.data !== words) text.data = words;
    return text;
  }
  const { type, props } = child;
  const isVector = type === "svg" || (parent as Element).namespaceURI === vectors;
  const isSame = old?.drawnFrom?.type === type;
  const node = (
    isSame
      ? old
      : isVector
        ? ownerDocument!.createElementNS(vectors, type)
        : ownerDocument!.createElement(type)
  ) as Drawn;
  const before = isSame ? old.drawnFrom!.props : {};
  for (const name in { ...before, ...props }) {
    const value = props[name];
    // What the person changes, too, is compared with what is there; listeners are properties in small letters.
    const isProperty = /^(on|value|checked)/.test(name);
    if (name === "children" || value === (isProperty ? node[name] : before[name])) continue;
    if (isProperty) node[name.toLowerCase()] = value;
    else if (value == null || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : `${value as string}`);
  }
  node.drawnFrom = child;
  render(props.children, node);
  return node;
}
