import uPlot from "uplot";
import { morph } from "./morph.ts";
import { moveTo } from "./other-time.ts";
import { isPictureOfTime } from "./picture-range.ts";
import { type ChartData, plotOptions, uplotData } from "./plot.ts";
import { bucketText, dayText, zoneName } from "./time-axis.ts";

/*
 * Draws the charts of a page again so that they can be read value by value and a range can be dragged. The page is whole without: pictures of the same
 * charts, a table of all values, a form for the range. Values are shown as the table has them.
 */

interface Chart {
  readonly figure: HTMLElement;
  readonly plot: uPlot;
  readonly shown: Shown;
  /** Says the values below the cursor, or the last ones. */
  readonly tell: () => void;
}

/** What is drawn now. */
interface Shown {
  data: ChartData;
}

type Rows = ReadonlyMap<number, readonly string[]>;

let charts: readonly Chart[] = [];
let rows: Rows = new Map();
/** Figures that came while somebody dragged. */
let waiting: readonly [from: Element, to: Element] | null = null;
let isDragging = false;

drawAll();
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-span]")) tellInZone(form);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const { plot } of charts) plot.redraw(false, true);
});
document.addEventListener("mousedown", ({ target }) => {
  isDragging = target instanceof Element && (target.closest(".drawn") !== null || isPictureOfTime(target));
});
document.addEventListener("mouseup", () => {
  isDragging = false;
  if (waiting !== null) takeFigures(...waiting);
});

/** Figures of the same check as they are by now. The charts stay those that the reader looks at, and get other values. */
export function takeFigures(from: Element, to: Element): void {
  waiting = isDragging ? [from, to] : null;
  if (isDragging) return;
  let isSame = false;
  morph(from, to, (old, fresh) => {
    if (!(old instanceof HTMLElement && fresh instanceof HTMLElement) || old.dataset["charts"] === undefined) return false;
    isSame = chartsIn(old) === chartsIn(fresh);
    if (isSame) takeCharts(old, fresh);
    else old.replaceWith(fresh);
    return true;
  });
  rows = rowsOfTable();
  if (!isSame) return drawAll();
  for (const { plot, shown } of charts) plot.setData(uplotData(shown.data));
  for (const { tell } of charts) tell();
}

function chartsIn(within: HTMLElement): string {
  return [...within.querySelectorAll<HTMLElement>("figure.chart")].map(({ dataset }) => dataset["shows"]).join();
}

function takeCharts(old: HTMLElement, fresh: HTMLElement): void {
  const figures = [...fresh.querySelectorAll<HTMLElement>("figure.chart")];
  for (const [index, { figure, shown }] of charts.entries()) {
    const other = figures[index];
    if (other === undefined) continue;
    const { axisWidth, inkOf, colourOf, dashOf } = shown.data;
    shown.data = { ...dataOf(fresh, other), axisWidth, inkOf, colourOf, dashOf };
    figure.querySelector(".drawn")?.setAttribute("aria-label", shown.data.label);
  }
  const [lanes, freshLanes] = [old.querySelector(".lanes"), fresh.querySelector(".lanes")];
  if (lanes !== null && freshLanes !== null) morph(lanes, freshLanes);
  else if (freshLanes === null) lanes?.remove();
  else old.querySelector("figure")?.after(freshLanes);
}

function drawAll(): void {
  for (const { plot } of charts) plot.destroy();
  charts = [];
  const within = document.querySelector<HTMLElement>("[data-charts]");
  if (within === null) return;
  rows = rowsOfTable();
  const said = document.createElement("p");
  said.className = "hidden";
  said.setAttribute("aria-live", "polite");
  within.append(said);
  charts = [...within.querySelectorAll<HTMLElement>("figure.chart")].map((figure) => draw(within, figure, said));
  for (const { figure, shown } of charts) if (shown.data.kind === "lines") addToggles(figure, charts);
}

/** Texts of the table over time, by the bucket of each row. */
function rowsOfTable(): Rows {
  const all = [...document.querySelectorAll<HTMLTableRowElement>("table.over tbody tr")];
  return new Map(all.map((row) => [Number(row.dataset["bucket"]), [...row.querySelectorAll("td")].map((cell) => cell.textContent)]));
}

function draw(within: HTMLElement, figure: HTMLElement, said: HTMLElement): Chart {
  const picture = figure.querySelector<HTMLElement>(".plot") ?? figure;
  const holder = document.createElement("div");
  const shown: Shown = { data: dataOf(within, figure) };
  holder.className = "drawn";
  holder.tabIndex = 0;
  holder.setAttribute("role", "img");
  holder.setAttribute("aria-label", shown.data.label);
  const moment = document.createElement("span");
  moment.className = "moment";
  figure.querySelector("figcaption")?.append(moment);
  const values = [...figure.querySelectorAll(".legend li")].map((entry) => {
    const value = document.createElement("span");
    value.className = "value";
    entry.append(value);
    return value;
  });
  const tell = (index: number | null | undefined): void => {
    const { data } = shown;
    const bucket = index ?? Math.max(...rows.keys());
    moment.textContent = momentText(data, bucket);
    for (const [line, value] of values.entries()) value.textContent = textOf(data, rows.get(bucket), line);
  };
  const size = { width: picture.clientWidth, height: (picture.querySelector("svg")?.clientHeight ?? 208) + 28 };
  picture.replaceWith(holder);
  const plot = new uPlot(
    plotOptions(() => shown.data, size, { onCursor: tell, onRange: moveTo }),
    uplotData(shown.data),
    holder,
  );
  tell(null);
  new ResizeObserver(() => plot.setSize({ width: holder.clientWidth, height: size.height })).observe(holder);
  holder.addEventListener("keydown", (event) => {
    if (!step(event, plot, shown.data)) return;
    const names = [...figure.querySelectorAll(".legend li")].map((entry) => entry.textContent);
    said.textContent = `${moment.textContent}: ${names.join(", ")}`;
  });
  return { figure, plot, shown, tell: () => tell(isOver(plot) ? plot.cursor.idx : null) };
}

/** The time of a bucket, and why it is shaded. */
function momentText({ edges, shades }: ChartData, bucket: number): string {
  const [from, to] = [edges[bucket] ?? 0, edges[bucket + 1] ?? 0];
  const reasons = shades.filter(([startsMs, endsMs]) => startsMs < to && from < endsMs).map(([, , why]) => why);
  return [bucketText(from, to), ...new Set(reasons)].join(", ");
}

function isOver({ cursor }: uPlot): boolean {
  return cursor.left !== undefined && cursor.left !== null && cursor.left >= 0;
}

function dataOf(within: HTMLElement, figure: HTMLElement): ChartData {
  const { kind, bottom, top, cell, step: stepOf, series, spoken, limits, past } = figure.dataset;
  const picture = figure.querySelector(".plot") ?? figure;
  const svg = picture.querySelector("svg");
  return {
    kind: kind === "stack" ? "stack" : "lines",
    edges: JSON.parse(within.dataset["edges"] ?? "[]"),
    series: JSON.parse(series ?? "[]"),
    shades: JSON.parse(within.dataset["shades"] ?? "[]"),
    limits: JSON.parse(limits ?? "[]"),
    past: JSON.parse(past ?? "[]"),
    bottom: Number(bottom),
    top: Number(top),
    label: spoken ?? "",
    columnNames: JSON.parse(within.dataset["columns"] ?? "[]"),
    axisTexts: [...picture.querySelectorAll(".y span")].map((text) => text.textContent),
    axisWidth: (svg?.getBoundingClientRect().left ?? 0) - picture.getBoundingClientRect().left,
    cells: { first: Number(cell), step: Number(stepOf) },
    colourOf: (index) => markColour(figure, index),
    dashOf: (index) => markDash(figure, index),
    inkOf: (what) => inkOf(within, figure, what),
  };
}

function inkOf(within: HTMLElement, figure: HTMLElement, what: Parameters<ChartData["inkOf"]>[0]): string {
  if (what === "text") return getComputedStyle(figure.querySelector(".legend") ?? figure).color;
  if (what === "line") return getComputedStyle(within).borderTopColor;
  const mark = figure.querySelector(`.guides .${what}`);
  return mark === null ? "gray" : getComputedStyle(mark).stroke;
}

function markOf(figure: HTMLElement, index: number): Element | undefined {
  return figure.querySelectorAll(".legend li svg > *")[index];
}

function markDash(figure: HTMLElement, index: number): readonly number[] {
  const mark = markOf(figure, index);
  const lengths =
    mark === undefined
      ? []
      : getComputedStyle(mark)
          .strokeDasharray.split(",")
          .map((length) => Number.parseFloat(length));
  return lengths.filter((length) => !Number.isNaN(length));
}

/** As the legend has it now: the reader's light or dark. */
function markColour(figure: HTMLElement, index: number): string {
  const mark = markOf(figure, index);
  if (mark === undefined) return "gray";
  const { stroke, fill } = getComputedStyle(mark);
  return stroke === "none" ? fill : stroke;
}

function textOf({ cells, series, columnNames }: ChartData, row: readonly string[] | undefined, line: number): string {
  const columns = series[line]?.length ?? 1;
  const from = cells.first + line * cells.step;
  const texts = (row ?? []).slice(from, from + columns);
  if (texts.length === 0) return "–";
  return columns === 1 ? texts.join("") : texts.map((text, column) => `${columnNames[column] ?? ""} ${text}`).join(" · ");
}

/** Arrow keys go to the value before or after, with Shift by ten; Home and End to the first and last. */
function step({ key, shiftKey }: KeyboardEvent, plot: uPlot, { edges }: ChartData): boolean {
  const end = edges.length - 2;
  const at = plot.cursor.idx ?? end;
  const by = shiftKey ? 10 : 1;
  const targets: Readonly<Record<string, number>> = { ArrowLeft: at - by, ArrowRight: at + by, Home: 0, End: end };
  const target = targets[key];
  if (target === undefined) return false;
  const index = Math.min(end, Math.max(0, target));
  const middle = ((edges[index] ?? 0) + (edges[index + 1] ?? 0)) / 2;
  plot.setCursor({ left: plot.valToPos(middle, "x"), top: 0 });
  return true;
}

/** A name of the legend takes its line out of all charts, and puts it back. */
function addToggles(figure: HTMLElement, all: readonly Chart[]): void {
  const entries = [...figure.querySelectorAll<HTMLElement>(".legend li")];
  if (entries.length < 2) return;
  for (const [line, entry] of entries.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.dataset["line"] = String(line);
    button.append(...[...entry.childNodes].filter((node) => !(node instanceof HTMLElement && node.className === "value")));
    entry.prepend(button);
    button.addEventListener("click", () => toggle(all, line, button.getAttribute("aria-pressed") !== "true"));
  }
}

function toggle(all: readonly Chart[], line: number, isShown: boolean): void {
  for (const { figure, plot, shown } of all) {
    if (shown.data.kind !== "lines") continue;
    figure.querySelector(`button[data-line="${line}"]`)?.setAttribute("aria-pressed", String(isShown));
    const columns = shown.data.series[line]?.length ?? 0;
    for (let column = 0; column < columns; column += 1) plot.setSeries(1 + line * columns + column, { show: isShown });
  }
}

/** Inputs of date and time in the reader's zone, and an address with instants. */
function tellInZone(form: HTMLFormElement): void {
  const inputs = [...form.querySelectorAll<HTMLInputElement>('input[type="datetime-local"]')];
  for (const input of inputs) {
    const ms = Date.parse(`${input.value}Z`);
    if (!Number.isNaN(ms)) input.value = dayText(ms);
    const [label] = input.labels ?? [];
    if (label !== undefined) label.textContent = label.textContent.replace("UTC", zoneName(ms));
  }
  form.addEventListener("submit", (event) => {
    const [from, to] = inputs.map(({ value }) => (value === "" ? Date.now() : new Date(value).getTime()));
    if (from === undefined || to === undefined || Number.isNaN(from) || Number.isNaN(to)) return;
    event.preventDefault();
    moveTo(from, to);
  });
}
