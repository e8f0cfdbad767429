import { createHash } from "node:crypto";
import { type Html, html } from "../view/html.ts";

export interface DocumentParts {
  readonly title: string;
  /** Ours; `sourceOf` allows it. */
  readonly css: string;
  readonly scheme?: "light" | "dark" | "light dark";
  readonly icon?: string;
  /** What else the head holds. */
  readonly head?: Html;
  readonly body: Html;
  /** Tells times in the reader's zone; `sourceOf` allows it. */
  readonly script?: string;
  /** Modules of ours by their addresses, which `nonce` allows. */
  readonly modules?: readonly string[];
  readonly nonce?: string;
}

/** A lighthouse's beam: ours, where a page has no icon of its own. */
const favicon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#155e75"/><circle cx="16" cy="16" r="4.5" fill="#fff"/><path d="M6.8 9.2a11.5 11.5 0 0 0 0 13.6M25.2 9.2a11.5 11.5 0 0 1 0 13.6" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>',
)}`;

/** A whole document with its style in it. */
export function documentText({ title, css, scheme = "light dark", icon = favicon, head = html``, body, ...code }: DocumentParts): string {
  const begin = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${scheme}">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style>`;
  // The style goes in unescaped: it is ours, and the policy holds its hash.
  return `${begin.text}${css}</style>\n${head.text}\n${codeOf(code)}</head>\n<body>\n${body.text}\n</body>\n</html>\n`;
}

/** Modules run when the document is complete. What is ours goes in unescaped as well. */
function codeOf({ script = "", modules = [], nonce = "" }: Pick<DocumentParts, "script" | "modules" | "nonce">): string {
  const inline = script === "" ? "" : `<script type="module">${script}</script>\n`;
  return inline + modules.map((address) => html`<script type="module" src="${address}" nonce="${nonce}"></script>\n`.text).join("");
}

/** What a policy's `style-src` or `script-src` says of this text and no other. */
export function sourceOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
