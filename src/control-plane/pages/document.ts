import { createHash } from "node:crypto";
import { type Html, html } from "./html.ts";

export interface DocumentParts {
  readonly title: string;
  /** Ours; `styleSource` allows it. */
  readonly css: string;
  readonly scheme?: "light" | "dark" | "light dark";
  readonly icon?: string;
  /** What else the head holds. */
  readonly head?: Html;
  readonly body: Html;
}

/** A whole document with its style in it. */
export function documentText({ title, css, scheme = "light dark", icon = "data:,", head = html``, body }: DocumentParts): string {
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
  return `${begin.text}${css}</style>\n${head.text}\n</head>\n<body>\n${body.text}\n</body>\n</html>\n`;
}

/** What a policy's `style-src` says of this style and no other. */
export function styleSource(css: string): string {
  return `'sha256-${createHash("sha256").update(css).digest("base64")}'`;
}
