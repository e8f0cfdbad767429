import { styleText } from "node:util";

/** Columns that everything fits in. */
export const lineWidth = 80;
export type Colour = "green" | "yellow" | "red" | "bold" | "dim" | "cyan";
/** Colours where a terminal shows them, else leaves the text alone. */
export type Paint = (colour: Colour, text: string) => string;

export function paintFor(isColoured: boolean): Paint {
  return (colour, text) => (isColoured ? styleText(colour, text, { validateStream: false }) : text);
}

/** Text of a target made harmless: what would steer a terminal (escape sequences, line breaks, writing direction) is shown as its code. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Cut to `width` characters, the last one an ellipsis. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** Broken at spaces where there are some; at most `maxLines` lines. */
export function wrap(text: string, width: number, maxLines: number): string[] {
  const lines: string[] = [];
  let rest = Array.from(text.slice(0, width * (maxLines + 1) * 2));
  while (rest.length > width && lines.length < maxLines - 1) {
    const space = rest.lastIndexOf(" ", width);
    const end = space >= width / 2 ? space : width;
    lines.push(rest.slice(0, end).join(""));
    rest = rest.slice(space === end ? end + 1 : end);
  }
  return [...lines, cut(rest.join(""), width)];
}

/** `0.1 ms`, `142 ms`: three figures are read at a glance, more are not measured. */
export function milliseconds(ms: number): string {
  return `${ms < 9.995 ? ms.toFixed(2) : ms < 99.95 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
}

export function bytes(count: number): string {
  if (count < 10_000) return `${count} bytes`;
  return count < 10_000_000 ? `${(count / 1_000).toFixed(0)} kB` : `${(count / 1_000_000).toFixed(0)} MB`;
}
