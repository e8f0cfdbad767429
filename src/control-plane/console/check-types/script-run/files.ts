import type { ResultOf, TestedType } from "#contract/checks/index.ts";
import { scriptRunTexts } from "../../../texts/script-run.ts";
import { htmlReportName } from "../../../trace-viewer/report-links.ts";
import { type Html, html } from "../../../view/html.ts";
import { part } from "../../facts.ts";
import type { FileAddress } from "../check-type.ts";

const texts = scriptRunTexts.files;

/** The report to read and videos to watch here, and traces with the command that opens them. */
export function evidenceFiles(
  { playwrightTestVideos, playwrightTestTraces }: Pick<ResultOf<TestedType>, "playwrightTestVideos" | "playwrightTestTraces">,
  fileAt: FileAddress,
): Html {
  const stored = (names: readonly string[]): readonly (readonly [string, string])[] =>
    names.flatMap((name) => {
      const address = fileAt(name, "saved");
      return address === null ? [] : [[name, address] as const];
    });
  const videos = stored(playwrightTestVideos).map(
    ([name, address]) => html`<video controls preload="none" src="${address}" aria-label="${texts.videoLabel(name)}"></video>`,
  );
  const traces = stored(playwrightTestTraces).map(([name, address]) => {
    const viewer = fileAt(name, "viewed");
    const open = viewer !== null && html`<a class="button" href="${viewer}" target="_blank" rel="noopener">${texts.openTrace}</a> `;
    return html`<li>${open}<a href="${address}" download>${name}</a> <code>${texts.traceCommand(name)}</code></li>`;
  });
  const report = fileAt(htmlReportName, "read");
  const open = html`<p class="hint">${texts.reportHint}</p><p><a class="button" href="${report}" target="_blank" rel="noopener">${texts.openReport}</a></p>`;
  return html`${report !== null && part(texts.report, open)}
${part(texts.video, ...videos)}
${traces.length > 0 && part(texts.trace, html`<p class="hint">${texts.traceHint}</p><ul class="plain">${traces}</ul>`)}`;
}
