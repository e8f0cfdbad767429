import type { Headers } from "../../http/authenticate.ts";
import { cookiesOf } from "../../http/cookies.ts";

/** How somebody wants to see the console in this browser. */
export interface Appearance {
  /** `system`: as the browser says. */
  readonly theme: (typeof themes)[number];
  readonly density: (typeof densities)[number];
}

export const themes = ["system", "light", "dark"] as const;
export const densities = ["comfortable", "compact"] as const;

const cookieName = "outpost_appearance";
const keptSeconds = 400 * 86_400; // longer is cut by browsers

/** Of a cookie that anybody may have written: what it does not say is as at first. */
export function appearanceOf(headers: Headers): Appearance {
  const cookie = headers["cookie"];
  const [theme, density] = (typeof cookie === "string" ? (cookiesOf(cookie).get(cookieName) ?? "") : "").split(".");
  return chosenAppearance(theme, density, { theme: "system", density: "comfortable" });
}

/** @param otherwise what is not chosen, or is nothing that there is */
export function chosenAppearance(theme: string | undefined, density: string | undefined, otherwise: Appearance): Appearance {
  return {
    theme: themes.find((one) => one === theme) ?? otherwise.theme,
    density: densities.find((one) => one === density) ?? otherwise.density,
  };
}

export function appearanceCookie({ theme, density }: Appearance, isSecure: boolean): string {
  return `${cookieName}=${theme}.${density}; Max-Age=${keptSeconds}; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** What it changes of a page, after the page's own style. */
export function appearanceStyle({ theme, density }: Appearance): string {
  return (theme === "system" ? "" : `:root { color-scheme: ${theme}; }\n`) + (density === "compact" ? compactStyle : "");
}

/** Twice as many rows on a screen: one line each, two where something is wrong. */
const compactStyle = `
.content { padding-block: 1.1rem 3rem; }
.counters { gap: .5rem; margin-bottom: .8rem; }
.counters a { flex-direction: row; align-items: baseline; gap: .5rem; padding: .3rem .8rem; }
.counters strong { font-size: 1.1rem; }
.filter { margin-bottom: .7rem; }
.checks > li { padding-block: .2rem; gap: .1rem 1.1rem; contain-intrinsic-size: auto 2.2rem; }
.checks .strip { height: 1rem; } .checks .spark { height: 1.1rem; }
.checks dt { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.acts > summary { min-height: 1.75rem; line-height: 1.1rem; }
table :is(th, td) { padding-block: .2rem; }
.list > li { padding-block: .35rem; }
@media (min-width: 62.01rem) {
  .checks > li { grid-template-columns: minmax(13rem, 4fr) minmax(8rem, 1.2fr) auto minmax(5rem, .7fr) 5.5rem auto; }
  .checks .which { display: grid; grid-template-columns: minmax(0, max-content) minmax(7rem, 1fr); align-items: baseline; gap: 0 .8rem; }
  .checks .which > a { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .checks .which > p:not(.cause) { margin: 0; flex-wrap: nowrap; min-width: 0; overflow: hidden; white-space: nowrap; }
  .checks .cause { margin: 0; grid-column: 1 / -1; flex-wrap: nowrap; overflow: hidden; white-space: nowrap; }
  .checks .cause .error { flex: 0 1 auto; -webkit-line-clamp: 1; }
}
`;
