import { type Html, html } from "../view/html.ts";

/** Every English text of the mark of what code owns. */
export const codeOwnerTexts = {
  owned: (project: string) => html`<strong>Owned by code.</strong> The project ${project} declares it`,
  warning: (project: string) =>
    html`<strong>Code owns this.</strong> What you change here lasts until the project ${project} is deployed again. Change it in the code instead: it is declared`,
  declared: (logicalId: string) => html`as <code>${logicalId}</code>`,
  inFile: (file: string) => html` in <code>${file}</code>`,
  ofRepository: (repository: Html) => html`, repository ${repository}`,
  atCommit: (commit: string) => html`, commit <code>${commit}</code>`,
  onBranch: (branch: string) => html` on ${branch}`,
  deployed: (time: Html) => html`, deployed ${time}`,
} as const;
