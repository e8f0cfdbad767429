import type { DnsAnswer, DnsCheckResult, DnsRecord } from "#contract/checks/dns.ts";
import { type Html, html } from "../../pages/html.ts";
import { table } from "../table.ts";
import { bytesText, factList, part, verbatim } from "./facts.ts";

export function dnsSeen({ request, response }: DnsCheckResult): Html {
  const { query, recordType, nameServer, port, protocol } = request;
  return html`${part(
    "Question",
    factList([
      ["Name", query],
      ["Type", recordType],
      ["Name server", `${nameServer ?? "of the agent's machine"}${port === null ? "" : `, port ${port}`}`],
      ["Protocol", protocol],
    ]),
  )}
${response !== null && answered(response)}`;
}

type Answered = NonNullable<DnsCheckResult["response"]>;

function answered({ responseCode, server, protocolUsed, answer, bytes, edns, tried, text }: Answered): Html {
  return part(
    "Answer",
    factList([
      ["Status", responseCode],
      ["Server", `${server}, ${protocolUsed}`],
      ["Flags", flagsOf(answer)],
      ["Size", bytesText(bytes)],
      ["EDNS", edns && ednsText(edns)],
      ["Did not answer", tried.length > 0 && html`<ul>${tried.map((one) => html`<li>${one.server}: ${one.error}</li>`)}</ul>`],
    ]),
    ...sections(answer),
    html`<details><summary>As dig prints it</summary>${verbatim(text.trim(), "The answer as dig prints it")}</details>`,
  );
}

/** A message of 64 KB has room for thousands; the text below has them all. */
const rowsAtMost = 100;

function sections({ Answer, Authority, Additional }: DnsAnswer): readonly Html[] {
  return Object.entries({ Answer, Authority, Additional }).map(([name, records]) => {
    if (records.length === 0) return html``;
    const rows = records.slice(0, rowsAtMost).map(row);
    const more = records.length - rows.length;
    return html`${table([name, "Type", "TTL", "Data"], rows)}${more > 0 && html`<p class="soft">and ${more} more</p>`}`;
  });
}

function row({ name, type, TTL, data }: DnsRecord): Html {
  return html`<tr><td class="free">${name}</td><td>${type}</td><td>${TTL} s</td><td class="free">${data}</td></tr>`;
}

const flagNames = ["AA", "TC", "RD", "RA", "AD", "CD"] as const;

function flagsOf(answer: DnsAnswer): string {
  return flagNames.filter((name) => answer[name]).join(" ");
}

function ednsText({ version, udpPayloadSize, do: isSecure, options }: NonNullable<Answered["edns"]>): string {
  return [`version ${version}`, `up to ${bytesText(udpPayloadSize)}`, isSecure && "DO", ...options]
    .filter((one) => one !== false)
    .join(", ");
}
