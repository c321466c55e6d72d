/**
 * The part of Preact that a tree without state, hooks, keys, refs and raw markup needs. It replaces Preact, which costs
 * 4,100 bytes of brotli, in the script tag's bundle; the npm package uses Preact itself. A test draws every state with
 * both and compares.
 */
type Child = VirtualElement | string | number | boolean | null | undefined | Child[];

interface VirtualElement {
  type: string;
  props: Props;
  /** Marks JSX output, as in Preact: JSON has no `undefined`, so data never passes for an element. */
  constructor: undefined;
}

type Props = { children?: Child } & Record<string, unknown>;

/** A node with the element that it was drawn from. */
type Drawn = Element & { drawnFrom?: VirtualElement } & Record<string, unknown>;

const vectors = "http://www.w3.org/2000/svg";

/** The function that JSX compiles to. Calls components at once, because they have no state to keep. */
export function jsx(type: string | ((props: Props) => Child), props: Props): Child {
  return typeof type === "function" ? type(props) : { type, props, constructor: undefined };
}
export { jsx as jsxs };

/** Groups children without a wrapper element. */
export const Fragment = ({ children }: Props): Child => children;

/** Updates a parent to match the children: one node each, an empty text node for a child that draws nothing. */
export function render(children: Child, parent: Node): void {
  for (const [index, child] of [children].flat(9).entries()) {
    const old = parent.childNodes[index] as Drawn | undefined;
    const node = draw(child as VirtualElement, old, parent);
    if (!old) parent.appendChild(node);
    else if (node !== old) old.replaceWith(node);
  }
}

/** Returns a child's node, reusing the old one if it fits. */
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
    // Values that the person can change are compared with the node's own; listeners are lower-case properties.
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
