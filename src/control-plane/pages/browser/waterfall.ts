/**
 * Steps and requests of a run on one line of time: a part of it is dragged or chosen with keys, and rows are found by their words. Without this
 * the whole is there, and in words.
 */

/** Of the whole, in percent. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const whole: Span = { from: 0, to: 100 };
/** Nobody means a shorter one by a drag; keys do not lead below it. */
const leastPart = 0.5;

function equip(box: HTMLElement): void {
  const [table, tools, range] = [box.querySelector("table"), box.querySelector<HTMLElement>(".tools"), box.querySelector("output")];
  const region = table?.parentElement;
  if (!table || !tools || !region) return;
  const bars = [...table.querySelectorAll<SVGRectElement>("rect")].map((bar) => ({
    bar,
    x: percentOf(bar, "x"),
    width: percentOf(bar, "width"),
  }));
  const wholeMs = Number(box.dataset["wholeMs"]);
  let span = whole;
  const show = (next: Span): void => {
    span = next;
    const scale = 100 / (span.to - span.from);
    for (const { bar, x, width } of bars) {
      bar.setAttribute("x", `${((x - span.from) * scale).toFixed(3)}%`);
      bar.setAttribute("width", `${Math.max(0.5, width * scale).toFixed(3)}%`);
    }
    const at = (percent: number): string => `${((wholeMs * percent) / 100_000).toFixed(2)} s`;
    if (range) range.textContent = `${at(span.from)} – ${at(span.to)}`;
    box.classList.toggle("zoomed", span !== whole);
  };
  tools.hidden = false;
  show(whole);
  tools.querySelector("button")?.addEventListener("click", () => show(whole));
  tools.querySelector("input")?.addEventListener("input", ({ target }) => filter(table, (target as HTMLInputElement).value));
  onDrag(table, (part) => show(within(span, part)));
  region.addEventListener("keydown", (event) => {
    const next = event.target === region && !event.ctrlKey && !event.metaKey && !event.altKey ? byKey(span, event.key) : undefined;
    if (next === undefined) return;
    event.preventDefault();
    show(next);
  });
}

function percentOf(bar: SVGRectElement, name: string): number {
  return Number.parseFloat(bar.getAttribute(name) ?? "0");
}

/** A part, in percent, of what is shown. */
function within({ from, to }: Span, part: Span): Span {
  const scale = (to - from) / 100;
  return { from: from + part.from * scale, to: from + part.to * scale };
}

function byKey(span: Span, key: string): Span | undefined {
  const length = span.to - span.from;
  switch (key) {
    case "+":
    case "=":
      return length <= 2 * leastPart ? span : within(span, { from: 25, to: 75 });
    case "-":
      return fitting({ from: span.from - length / 2, to: span.to + length / 2 });
    case "0":
      return whole;
    case "ArrowLeft":
    case "ArrowRight": {
      if (span === whole) return undefined; // the table may scroll
      const by = key === "ArrowLeft" ? -length / 4 : length / 4;
      return fitting({ from: span.from + by, to: span.to + by });
    }
    default:
      return undefined;
  }
}

/** As long, but not beyond the whole. */
function fitting({ from, to }: Span): Span {
  const length = to - from;
  if (length > 100 - leastPart) return whole;
  const start = Math.min(100 - length, Math.max(0, from));
  return { from: start, to: start + length };
}

/** Over the bars, which are all as wide. */
function onDrag(table: HTMLTableElement, choose: (part: Span) => void): void {
  let begun: { readonly at: number; readonly left: number; readonly width: number } | undefined;
  const share = (event: PointerEvent): number =>
    begun === undefined ? 0 : Math.min(100, Math.max(0, (100 * (event.clientX - begun.left)) / begun.width));
  table.addEventListener("pointerdown", (event) => {
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>("td.bar") : null;
    if (cell === null || event.button !== 0) return;
    const { left, width } = (cell.firstElementChild ?? cell).getBoundingClientRect();
    begun = { at: 0, left, width };
    begun = { ...begun, at: share(event) };
    event.preventDefault(); // no text is marked
    table.setPointerCapture(event.pointerId);
  });
  table.addEventListener("pointerup", (event) => {
    if (begun === undefined) return;
    const [from, to] = [begun.at, share(event)].toSorted((one, other) => one - other);
    begun = undefined;
    if (from !== undefined && to !== undefined && to - from >= leastPart) choose({ from, to });
  });
  table.addEventListener("pointercancel", () => {
    begun = undefined;
  });
}

/** Rows with all of the words; a step stays with what was sent in it. */
function filter(table: HTMLTableElement, text: string): void {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let step: HTMLTableRowElement | undefined;
  for (const row of table.tBodies[0]?.rows ?? []) {
    const isRequest = row.classList.contains("request");
    const told = (row.textContent ?? "").toLowerCase();
    row.hidden = !words.every((word) => told.includes(word));
    if (!isRequest) step = row;
    else if (!row.hidden && step !== undefined) step.hidden = false;
  }
}

for (const box of document.querySelectorAll<HTMLElement>(".timeline")) equip(box);
