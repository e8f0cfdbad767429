import type { BadgeQuery } from "#contract/badges.ts";
import { type Html, html } from "../view/html.ts";

export type BadgeStatus = "passing" | "degraded" | "failing" | "no data" | "unknown";

export interface Badge extends Pick<BadgeQuery, "style" | "theme"> {
  readonly label: string;
  readonly status: BadgeStatus;
  /** Absent: not shown. */
  readonly responseTimeMs?: number | undefined;
}

/** White text on each is readable (contrast of at least 4.5, WCAG 1.4.3). */
const statusColours: Readonly<Record<BadgeStatus, string>> = {
  passing: "#1a7f37",
  degraded: "#9a6700",
  failing: "#cf222e",
  "no data": "#656d76",
  unknown: "#656d76",
};

const themes = {
  default: { back: "#555555", text: "#ffffff" },
  light: { back: "#eaeef2", text: "#1f2328" },
  dark: { back: "#161b22", text: "#f0f6fc" },
} as const satisfies Readonly<Record<Badge["theme"], unknown>>;

interface Shape {
  readonly height: number;
  readonly radius: number;
  readonly padding: number;
  readonly fontSize: number;
  readonly isUpperCase?: true;
  readonly isBold?: true;
  /** How far the upper half is lightened and the lower half darkened. */
  readonly gloss: number;
  /** Between the halves. */
  readonly gap: number;
}

const shapes: Readonly<Record<Badge["style"], Shape>> = {
  flat: { height: 20, radius: 3, padding: 6, fontSize: 11, gloss: 0.08, gap: 0 },
  plastic: { height: 18, radius: 4, padding: 6, fontSize: 11, gloss: 0.3, gap: 0 },
  "flat-square": { height: 20, radius: 0, padding: 6, fontSize: 11, gloss: 0, gap: 0 },
  "for-the-badge": { height: 28, radius: 0, padding: 10, fontSize: 11, gloss: 0, gap: 0, isUpperCase: true, isBold: true },
  social: { height: 20, radius: 3, padding: 6, fontSize: 11, gloss: 0.04, gap: 6, isBold: true },
};

const maxLabelLength = 60;

/** A badge as SVG. Nothing in a label can become markup, end the picture early or turn the direction of the text. */
export function badgeImage({ label, status, responseTimeMs, style, theme }: Badge): string {
  const shape = shapes[style];
  const name = shortened(plainText(label));
  const message = responseTimeMs === undefined ? status : `${status} ${timeText(responseTimeMs)}`;
  const [left, right] = [name, message].map((text) => halfOf(shape, text)) as [Half, Half];
  const rightX = left.width + shape.gap;
  const width = rightX + right.width;
  const { height, radius, gap, gloss, fontSize } = shape;
  const title = `${name}: ${message}`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${title}"><title>${title}</title>
${gloss > 0 && gradient(gloss)}<clipPath id="a"><rect width="${gap === 0 ? width : left.width}" height="${height}" rx="${radius}"/>
<rect x="${rightX}" width="${right.width}" height="${height}" rx="${radius}"/></clipPath>
<g clip-path="url(#a)"><rect width="${left.width}" height="${height}" fill="${themes[theme].back}"/>
<rect x="${rightX}" width="${right.width}" height="${height}" fill="${statusColours[status]}"/>
${gloss > 0 && html`<rect width="${width}" height="${height}" fill="url(#g)"/>`}</g>
<g font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${fontSize}" font-weight="${shape.isBold ? "bold" : "normal"}">
${textAt(shape, left, 0, themes[theme].text)}${textAt(shape, right, rightX, "#ffffff")}</g></svg>
`.text;
}

interface Half {
  readonly text: string;
  readonly textWidth: number;
  readonly width: number;
}

function halfOf({ padding, isUpperCase, isBold }: Shape, given: string): Half {
  const text = isUpperCase ? given.toUpperCase() : given;
  const textWidth = Math.ceil(Array.from(text).reduce((sum, character) => sum + widthOf(character), 0) * (isBold ? 1.12 : 1));
  return { text, textWidth, width: textWidth + 2 * padding };
}

/** Of Verdana at 11 px, about; `textLength` makes any font keep to it. */
function widthOf(character: string): number {
  if (/[ijlI.,:;'|!]/.test(character)) return 4;
  if (/[mwMW@%]/.test(character)) return 10;
  if (/[A-Z]/.test(character)) return 8;
  return (character.codePointAt(0) ?? 0) >= 0x2e80 ? 11 : 6.8;
}

function textAt({ height, padding }: Shape, { text, textWidth }: Half, x: number, colour: string): Html {
  return html`<text x="${x + padding}" y="${height / 2 + 4}" textLength="${textWidth}" fill="${colour}" xml:space="preserve">${text}</text>`;
}

function gradient(gloss: number): Html {
  return html`<linearGradient id="g" x2="0" y2="1"><stop stop-color="#ffffff" stop-opacity="${gloss}"/>
<stop offset="1" stop-color="#000000" stop-opacity="${gloss}"/></linearGradient>`;
}

/** Without what XML forbids (XML 1.0 §2.2), and without controls of the text's direction. */
function plainText(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\uFFFE\uFFFF\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, " ");
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= maxLabelLength ? text : `${characters.slice(0, maxLabelLength - 1).join("")}…`;
}

function timeText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
