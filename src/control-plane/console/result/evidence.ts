import type { Readable } from "node:stream";
import { type CheckResult, getCheckResultAsset } from "#contract/check-results.ts";
import { resultPageTexts } from "../../texts/result-page.ts";
import { type Html, html } from "../../view/html.ts";
import type { Ask } from "../ask.ts";
import { part, verbatim } from "../facts.ts";
import type { Visit } from "../visit.ts";
import { readTrace, traceTable } from "./hops.ts";

/** What an agent wrote down where the network failed, by the names of the files. */
const { titles, asWritten } = resultPageTexts.evidence;
/** Agents write no more. */
const maxBytes = 65_536;

export interface EvidenceText {
  readonly name: string;
  readonly text: string;
}

export async function evidenceOf(ask: Ask, visit: Visit, { assets, checkId, id }: CheckResult): Promise<readonly EvidenceText[]> {
  const names = Object.keys(titles).filter((name) => assets.some((asset) => asset.type === "log" && asset.name === name));
  return Promise.all(
    names.map(async (name) => {
      const file = await ask(visit, getCheckResultAsset, { params: { checkId, checkResultId: id, name } });
      const bytes = "body" in file ? file.body : await bytesOf(await file.open(0, Math.min(file.size, maxBytes)));
      return { name, text: new TextDecoder().decode(bytes.subarray(0, maxBytes)) };
    }),
  );
}

async function bytesOf(stream: Readable): Promise<Uint8Array> {
  return Buffer.concat(await stream.toArray());
}

export function evidence(texts: readonly EvidenceText[]): Html {
  return html`${texts.map(({ name, text }) => {
    const title = titles[name] ?? name;
    const whole = html`<details><summary>${asWritten}</summary>${verbatim(text, title)}</details>`;
    if (name !== "traceroute.txt") return part(title, whole);
    const { parts, conclusion } = readTrace(text);
    return part(title, conclusion === "" ? html`` : html`<p>${conclusion}</p>`, ...parts.map(traceTable), whole);
  })}`;
}
