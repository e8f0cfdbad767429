/** Markup that our server made, as an element. It is not part of the page yet, and nothing in it runs. */
export function elementOf(markup: string): Element | null {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content.firstElementChild;
}

/**
 * Makes an element as another one is, touching only what differs: so the focus, and what somebody has opened or marked, stays where it is.
 *
 * @param isTaken takes what has a way of its own to become another
 */
export function morph(from: Element, to: Element, isTaken: (from: Element, to: Element) => boolean = () => false): void {
  if (isTaken(from, to) || from.isEqualNode(to) || isSameTime(from, to)) return;
  // A time that comes new is told in the reader's zone.
  if (from instanceof HTMLTimeElement || shapeOf(from) !== shapeOf(to)) return from.replaceWith(to);
  takeAttributes(from, to);
  const fresh = [...to.childNodes];
  for (const [index, node] of [...from.childNodes].entries()) {
    const other = fresh[index];
    if (node instanceof Element && other instanceof Element) morph(node, other, isTaken);
    else if (other !== undefined && node.nodeValue !== other.nodeValue) node.nodeValue = other.nodeValue;
  }
}

/** What it is, and of which kinds its children are. */
function shapeOf(element: Element): string {
  return [element.tagName, ...[...element.childNodes].map(({ nodeType }) => nodeType)].join();
}

/** Modules have told it in their way already. */
function isSameTime(from: Element, to: Element): boolean {
  return from instanceof HTMLTimeElement && to instanceof HTMLTimeElement && from.dateTime === to.dateTime;
}

function takeAttributes(from: Element, to: Element): void {
  const given = new Set(to.getAttributeNames());
  // What somebody opened stays open.
  for (const name of from.getAttributeNames()) if (!given.has(name) && name !== "open") from.removeAttribute(name);
  for (const name of given) if (from.getAttribute(name) !== to.getAttribute(name)) from.setAttribute(name, to.getAttribute(name) ?? "");
}
