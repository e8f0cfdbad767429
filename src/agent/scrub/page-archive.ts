import { type Content, inMemory, NewFile, type OpenFile } from "./content.ts";
import { holdsSecret, type Inspect, type Plan, planned } from "./plan.ts";
import { type Level, type ScrubJob, Withheld } from "./scrub-job.ts";

/** Playwright's reports carry what was seen as a zip file in base64: packed, no secret in it can be found in the page. */
const marker = Buffer.from("data:application/zip;base64,");
const mostPageBytes = 64 * 1024 * 1024;
/** Shorter ones are no zip file, which has at least its end. */
const leastBase64 = 28;
const base64Bytes: ReadonlySet<number> = new Set(Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="));

interface Part {
  readonly content: Content;
  readonly isZip: boolean;
}

/** A page with zip files in it. Each is looked at like one beside it, and written anew where something in it was hit. */
export async function rewritePage(page: OpenFile, to: string, level: Level, job: ScrubJob, inspect: Inspect): Promise<boolean> {
  if (page.size > mostPageBytes) throw new Withheld(`it is a page of more than ${mostPageBytes} bytes`);
  const parts: (Part & { readonly plan: Plan })[] = [];
  for (const part of partsOf(page)) {
    job.goOn();
    parts.push({ ...part, plan: await inspect(part.content, level) });
  }
  if (parts.every(({ plan }) => plan.is === "clean") && !(await holdsSecret(page.range("", 0, page.size), job))) return false;
  using file = new NewFile(to);
  for (const { plan, content, isZip } of parts) {
    const written: Buffer[] = [];
    for await (const chunk of planned(content, plan, job)) {
      if (isZip) written.push(Buffer.from(chunk));
      else file.write(chunk);
    }
    if (isZip) file.write(Buffer.from(Buffer.concat(written).toString("base64")));
  }
  return true;
}

/** Text and zip files in turn. @throws {Withheld} where base64 is not what it says */
function* partsOf(page: OpenFile): Generator<Part> {
  const all = page.bytes(0, page.size);
  let done = 0;
  for (let at = all.indexOf(marker); at !== -1; at = all.indexOf(marker, at + marker.length)) {
    const from = at + marker.length;
    let to = from;
    while (base64Bytes.has(all[to] ?? 0)) to += 1;
    if (to - from < leastBase64) continue;
    const text = all.toString("latin1", from, to);
    const zip = Buffer.from(text, "base64");
    if (zip.toString("base64") !== text) throw new Withheld("it is damaged");
    yield { content: page.range("", done, from - done), isZip: false };
    yield { content: inMemory("data.zip", () => zip), isZip: true };
    done = to;
  }
  yield { content: page.range("", done, all.length - done), isZip: false };
}
