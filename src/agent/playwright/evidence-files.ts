import { join } from "node:path";
import type { FoundFile } from "../runners/check-runner.ts";
import { networkArchive } from "./network-archive.ts";
import { evidenceNames, readBytes } from "./run-files.ts";
import { isOfKind, type Seen } from "./told.ts";

/** What a run recorded is bounded before. */
const mostReportBytes = 5 * 1024 * 1024;
/** Of a report that is whole: its first brace is the only one at the begin of a line. The disk may be full. */
const endOfReport = "\n}";

/** Of a run that is dead: Playwright's own report, where it came to write one, what pages wrote to their console, and what was asked. */
export async function evidenceFiles(runFolder: string, seen: readonly Seen[]): Promise<FoundFile[]> {
  const report = (await readBytes(join(runFolder, evidenceNames.report), mostReportBytes, "beginning")).toString();
  const [lines, requests] = [seen.filter(isOfKind("console")), seen.filter(isOfKind("request"))];
  const told = lines.map(({ kind: _kind, on: page, ...line }) => `${JSON.stringify({ ...line, page })}\n`);
  const file = (type: FoundFile["type"], name: string, contentType: string, text: string): FoundFile[] =>
    text === "" ? [] : [{ name, type, contentType, content: Buffer.from(text) }];
  return [
    ...file("report", evidenceNames.report, "application/json", report.endsWith(endOfReport) ? within(runFolder, report) : ""),
    ...file("log", evidenceNames.console, "application/x-ndjson", told.join("")),
    ...file("log", evidenceNames.network, "application/json", requests.length === 0 ? "" : networkArchive(requests)),
  ];
}

/** Its folder is nothing to anybody. */
function within(runFolder: string, text: string): string {
  return text.replaceAll(`${runFolder}/`, "").replaceAll(runFolder, ".");
}
