const namespace = "http://www.w3.org/2000/svg";

/** Creates an icon on a grid of 24 units, in the colour of the surrounding text. */
export function createIcon(path: string): SVGElement {
  const icon = document.createElementNS(namespace, "svg");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  icon.appendChild(document.createElementNS(namespace, "path")).setAttribute("d", path);
  return icon;
}
