import { publicStyle } from "../public/public-style.ts";
import type { ShownStatus } from "./status-model.ts";

type Settings = ShownStatus["settings"];

const style = `${publicStyle}
:root { --wide: 62rem; --head: var(--card); --head-ink: var(--ink); --title: var(--ink); --button: var(--accent); --button-ink: light-dark(#fff, #0b0f14); --nav: var(--soft); }
.page-head { background: var(--head); color: var(--head-ink); border-bottom: 1px solid var(--line); }
.page-head .top { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem 1.25rem; padding-top: 1.25rem; padding-bottom: 1.25rem; }
.page-head .words { flex: 1 1 16rem; min-width: 0; }
.page-head p { opacity: .85; margin-top: .15rem; white-space: pre-line; }
.logo img { display: block; max-height: 3rem; max-width: min(14rem, 60vw); object-fit: contain; }
main { padding-top: 1.75rem; padding-bottom: 1rem; display: grid; gap: 2rem; }
main > section { min-width: 0; }
h2 { color: var(--title); }
h2:not(:first-child, .hidden + h2) { margin-top: 1.75rem; }
.overall { margin: 0; padding: 1.1rem 1.25rem; }
.overall .state { font-size: 1.3rem; }
.services { padding: 0 1.25rem; margin: 0 0 1.25rem; list-style: none; }
.services > li { padding: 1rem 0; border-bottom: 1px solid var(--line); }
.services > li:last-child { border-bottom: 0; }
.service { display: flex; gap: .25rem 1rem; justify-content: space-between; align-items: center; margin-bottom: .5rem; }
.days { display: block; width: 100%; height: 2rem; }
.axis { display: flex; justify-content: space-between; gap: .4rem; font-size: .78rem; color: var(--soft); margin-top: .3rem; white-space: nowrap; }
.axis .rule { flex: 1; align-self: center; border-top: 1px solid var(--line); }
.incident:last-child { margin-bottom: 0; }
.chips { display: flex; flex-wrap: wrap; gap: .3rem; margin-top: .6rem; }
.day { padding: .8rem 0; border-bottom: 1px solid var(--line); }
.day:last-child { border-bottom: 0; }
.day > h3 { font-size: .92rem; color: var(--soft); font-weight: 500; }
.day.quiet { display: flex; justify-content: space-between; gap: 1rem; padding: .6rem 0; font-size: .92rem; }
.day .incident { margin: .5rem 0; }
button { background: var(--button); border-color: var(--button); color: var(--button-ink); }
.foot { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; justify-content: space-between; align-items: end; padding-top: .5rem; padding-bottom: 2.5rem; color: var(--nav); font-size: .92rem; }
.foot form { flex: 1 1 20rem; max-width: 32rem; }
.foot form p { margin-bottom: .5rem; }
.foot nav { display: flex; flex-wrap: wrap; gap: 0 1.1rem; }
.foot nav a, .day.quiet a { display: inline-block; padding-block: .35rem; }
.day.quiet:has(a) { padding-block: .25rem; align-items: center; }
.missing { min-height: 80vh; place-content: center; }
`;

/** The theme that readers begin with; it is theirs to choose where the page leaves it to them. */
export function statusStyle({ defaultTheme }: Pick<Settings, "defaultTheme">): string {
  return defaultTheme === "AUTO" ? style : `${style}:root { color-scheme: ${defaultTheme.toLowerCase()}; }\n`;
}

type Colors = NonNullable<Settings["themeColors"]>["light"];

/** Names of our colours, and what a theme says of them. */
const themed = {
  "--ground": "bodyBackgroundColor",
  "--paper": "bodyBackgroundColor",
  "--card": "cardBackgroundColor",
  "--line": "borderColor",
  "--ink": "bodyFontColor",
  "--soft": "bodyFontColorMuted",
  "--accent": "linkFontColor",
  "--head": "headerBackgroundColor",
  "--head-ink": "headerFontColor",
  "--title": "titleFontColor",
  "--nav": "navigationFontColor",
  "--button": "primaryButtonBackgroundColor",
  "--button-ink": "primaryButtonFontColor",
} as const satisfies Readonly<Record<string, keyof Colors>>;

/** The colours of a page as a stylesheet; empty where it has none of its own. Nothing but colours gets into it. */
export function themeSheet({ themeColors }: Pick<Settings, "themeColors">): string {
  if (themeColors === null) return "";
  const { light, dark } = themeColors;
  const lines = Object.entries(themed)
    .filter(([, field]) => isColor(light[field]) && isColor(dark[field]))
    .map(([name, field]) => `  ${name}: light-dark(${light[field]}, ${dark[field]});\n`);
  return `:root {\n${lines.join("")}}\n`;
}

function isColor(text: string): boolean {
  return /^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(text);
}
