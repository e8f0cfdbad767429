import type { DnsAnswer, DnsCheckResult, DnsRecord } from "#contract/checks/dns.ts";
import { resultSeenTexts } from "../../../texts/result-seen.ts";
import { type Html, html } from "../../../view/html.ts";
import { bytesText, factList, part, verbatim } from "../../facts.ts";
import { table } from "../../table.ts";
import type { RunDetails } from "../check-type.ts";

const texts = resultSeenTexts.dns;

export function dnsDetails(seen: DnsCheckResult): RunDetails {
  const { response } = seen;
  const { timingPhases: phases } = response ?? {};
  const facts = () => (response === null ? {} : { responseCode: response.responseCode, json: () => response.answer });
  return { shown: () => dnsSeen(seen), tookMs: phases?.total ?? null, phases: phases ?? {}, facts, scripts: null };
}

function dnsSeen({ request, response }: DnsCheckResult): Html {
  const { query, recordType, nameServer, port, protocol } = request;
  const server = nameServer ?? texts.ownNameServer;
  return html`${part(
    texts.question,
    factList([
      [texts.name, query],
      [texts.type, recordType],
      [texts.nameServer, port === null ? server : texts.atPort(server, port)],
      [texts.protocol, protocol],
    ]),
  )}
${response !== null && answered(response)}`;
}

type Answered = NonNullable<DnsCheckResult["response"]>;

function answered({ responseCode, server, protocolUsed, answer, bytes, edns, tried, text }: Answered): Html {
  return part(
    texts.answer,
    factList([
      [resultSeenTexts.status, responseCode],
      [texts.server, texts.by(server, protocolUsed)],
      [texts.flags, flagsOf(answer)],
      [resultSeenTexts.size, bytesText(bytes)],
      [texts.edns, edns && ednsText(edns)],
      [texts.silent, tried.length > 0 && html`<ul>${tried.map((one) => html`<li>${texts.silentServer(one.server, one.error)}</li>`)}</ul>`],
    ]),
    ...sections(answer),
    html`<details><summary>${texts.asDig}</summary>${verbatim(text.trim(), texts.asDigLabel)}</details>`,
  );
}

/** A message of 64 KB has room for thousands; the text below has them all. */
const rowsAtMost = 100;

function sections({ Answer, Authority, Additional }: DnsAnswer): readonly Html[] {
  const named = [
    [texts.sections.Answer, Answer],
    [texts.sections.Authority, Authority],
    [texts.sections.Additional, Additional],
  ] as const;
  return named.map(([name, records]) => {
    if (records.length === 0) return html``;
    const rows = records.slice(0, rowsAtMost).map(row);
    const more = records.length - rows.length;
    return html`${table(texts.columns(name), rows)}${more > 0 && html`<p class="soft">${texts.more(more)}</p>`}`;
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
  return [...texts.ednsParts(version, bytesText(udpPayloadSize)), isSecure && "DO", ...options].filter((one) => one !== false).join(", ");
}
