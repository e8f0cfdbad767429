import { moveTo } from "./other-time.ts";

/* Charts that stay pictures, those of heartbeats: a range that is dragged over one is shown. Such a picture tells its time in `data-from` and `data-to`. */

/** Shorter drags are clicks. Pixels. */
const leastDrag = 6;

interface Drag {
  readonly picture: Element;
  readonly mark: HTMLElement;
  readonly fromMs: number;
  readonly toMs: number;
  readonly startX: number;
  endX: number;
}

let drag: Drag | null = null;

/** Whether a range can be dragged there. */
export function isPictureOfTime(target: Element): boolean {
  return pictureOf(target) !== null;
}

document.addEventListener("mousedown", (event) => {
  const picture = event.button === 0 && event.target instanceof Element ? pictureOf(event.target) : null;
  if (picture === null) return;
  event.preventDefault(); // of texts nothing is to be marked
  const mark = document.createElement("div");
  mark.className = "u-select";
  const { clientX } = event;
  drag = { picture, mark, fromMs: Number(picture.dataset["from"]), toMs: Number(picture.dataset["to"]), startX: clientX, endX: clientX };
});
document.addEventListener("mousemove", ({ clientX }) => {
  if (drag === null) return;
  drag.endX = clientX;
  if (lengthOf(drag) >= leastDrag) show(drag);
});
document.addEventListener("mouseup", ({ clientX }) => {
  if (drag === null) return;
  const ended = { ...drag, endX: clientX };
  drag.mark.remove();
  drag = null;
  if (lengthOf(ended) >= leastDrag) moveTo(...rangeOf(ended));
});

function pictureOf(target: Element): SVGElement | null {
  return target.closest<SVGElement>("svg[data-from]");
}

/** Its ends in the picture, in pixels from its left side. */
function endsOf({ picture, startX, endX }: Drag): readonly [number, number] {
  const { left, width } = picture.getBoundingClientRect();
  const [a, b] = [startX, endX].map((x) => Math.min(width, Math.max(0, x - left)));
  return [Math.min(a ?? 0, b ?? 0), Math.max(a ?? 0, b ?? 0)];
}

function lengthOf(of: Drag): number {
  const [from, to] = endsOf(of);
  return to - from;
}

function rangeOf(of: Drag): [fromMs: number, toMs: number] {
  const { width } = of.picture.getBoundingClientRect();
  const [from, to] = endsOf(of).map((x) => of.fromMs + ((of.toMs - of.fromMs) * x) / width);
  return [from ?? of.fromMs, to ?? of.toMs];
}

/** Beside the picture, whose place on the page it has. */
function show(of: Drag): void {
  const { picture, mark } = of;
  const holder = picture.parentElement;
  if (holder === null) return;
  const [box, around] = [picture.getBoundingClientRect(), holder.getBoundingClientRect()];
  const [from, to] = endsOf(of);
  mark.style.left = `${box.left - around.left + from}px`;
  mark.style.top = `${box.top - around.top}px`;
  mark.style.width = `${to - from}px`;
  mark.style.height = `${box.height}px`;
  holder.append(mark);
}
