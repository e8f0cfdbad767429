import { escapedHtml } from "#domain/alerting/plain-text.ts";

/** What a mail says. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The colour of what matters less. */
export const soft = "#5b6570";

/** The whole of a mail: colours that stand on any background, nothing that is loaded. */
export function mailDocument(parts: readonly string[]): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>',
    '<body style="margin:0;padding:16px;font-family:sans-serif;font-size:15px;line-height:1.5;max-width:40em">',
    ...parts,
    "</body></html>",
  ].join("\n");
}

export function heading(text: string, color: string): string {
  return `<h1 style="font-size:19px;border-left:6px solid ${color};padding-left:10px">${escapedHtml(text)}</h1>`;
}

export function footer(text: string, address: string, label: string): string {
  return `<p style="color:${soft};border-top:1px solid #d5dae0;padding-top:10px">${escapedHtml(text)} ${link(address, label)}</p>`;
}

export function link(address: string, label: string): string {
  return `<a href="${escapedHtml(address)}">${escapedHtml(label)}</a>`;
}

export function lines(text: string): string {
  return escapedHtml(text).replaceAll("\n", "<br>");
}
