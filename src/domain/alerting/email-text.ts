import type { AlertMessage } from "./alert-message.ts";
import { escapedHtml, oneLine } from "./plain-text.ts";

export interface EmailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail of a message: the facts as lines and as a table, readable without images, styles and scripts. */
export function emailText(message: AlertMessage): EmailText {
  const { title, facts, link, color } = message;
  const width = Math.max(0, ...facts.map(({ name }) => name.length));
  const lines = facts.map(({ name, value }) => `${`${name}:`.padEnd(width + 2)}${value.replaceAll("\n", `\n${" ".repeat(width + 2)}`)}`);
  const rows = facts.map(({ name, value, isLink, label = "Open" }) =>
    row(name, isLink === true || value === link ? anchor(value, label) : escapedHtml(value).replaceAll("\n", "<br>")),
  );
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>',
    '<body style="margin:0;padding:16px;font-family:sans-serif;font-size:15px">',
    `<h1 style="font-size:19px;border-left:6px solid ${color};padding-left:10px">${escapedHtml(title)}</h1>`,
    `<table style="border-collapse:collapse">${rows.join("")}</table>`,
    "</body></html>",
  ];
  return { subject: oneLine(`[Outpost] ${title}`, 250), text: `${[title, "", ...lines].join("\n")}\n`, html: html.join("\n") };
}

function row(name: string, cell: string): string {
  const head = `<th style="text-align:left;vertical-align:top;padding:3px 14px 3px 0">${escapedHtml(name)}</th>`;
  return `<tr>${head}<td style="padding:3px 0">${cell}</td></tr>`;
}

/** Links are addresses of results, which the control plane wrote itself; anything else stays text. */
function anchor(address: string, label: string): string {
  return /^https?:\/\//.test(address) ? `<a href="${escapedHtml(address)}">${label}</a>` : escapedHtml(address);
}
