/** Changes the layout, and keeps an element where the person has just pressed it: the next press hits it too. */
export function keepInPlace(element: HTMLElement, change: () => void): void {
  const { top } = element.getBoundingClientRect();
  change();
  element.style.translate = `0 ${top - element.getBoundingClientRect().top}px`;
}
