import { offerWords } from "./script-completion.ts";
import { tokens } from "./tokens.ts";

/**
 * Areas of scripts show numbers of lines and colours: both lie around the text that the area has in transparent letters, so that it stays what is
 * typed in, read aloud and sent.
 */

/** Characters; colours of more would keep somebody who types waiting. */
const longestColoured = 100_000;

function equip(area: HTMLTextAreaElement): void {
  const [box, lines, shade] = [document.createElement("div"), layer("lines"), layer("shade")];
  box.className = "editor";
  area.replaceWith(box);
  box.append(area, shade, lines);
  area.wrap = "off";
  let shown: string | undefined;
  let marked: number | null = null;
  const draw = (): void => {
    const { value } = area;
    if (value === shown) return;
    shown = value;
    const isColoured = value.length <= longestColoured;
    box.classList.toggle("colourless", !isColoured);
    // The last line has a height only with something after it.
    shade.replaceChildren(...(isColoured ? coloured(value) : []), "\n");
    number();
    follow();
  };
  const number = (): void => {
    const numbers = Array.from({ length: area.value.split("\n").length }, (_, index) => `${index + 1}\n`);
    const at = marked === null || marked > numbers.length ? numbers.length : marked - 1;
    const [right, rest] = [numbers.slice(0, at).join(""), numbers.slice(at + 1).join("")];
    lines.replaceChildren(right, ...(at < numbers.length ? [wrong(at + 1), rest] : []), "\n");
  };
  const follow = (): void => {
    for (const one of [shade, lines]) one.scrollTop = area.scrollTop;
    shade.scrollLeft = area.scrollLeft;
  };
  area.addEventListener("input", draw);
  area.addEventListener("scroll", follow);
  area.addEventListener("outpost-mark", (event) => {
    marked = (event as CustomEvent<number | null>).detail;
    number();
    follow();
  });
  area.form?.addEventListener("reset", () => setTimeout(draw));
  offerWords(area, box);
  draw();
}

function wrong(line: number): HTMLElement {
  const made = document.createElement("span");
  made.className = "wrong";
  made.textContent = `${line}\n`;
  return made;
}

function layer(name: string): HTMLElement {
  const made = document.createElement("pre");
  made.className = name;
  made.ariaHidden = "true";
  return made;
}

function coloured(script: string): (Node | string)[] {
  return tokens(script).map(({ kind, text }) => {
    if (kind === "plain") return text;
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    return span;
  });
}

for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea.code")) equip(area);
