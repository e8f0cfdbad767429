import { codeOwnerTexts as texts } from "../../texts/code-owner.ts";
import { type Html, html } from "../../view/html.ts";
import { timeElement } from "../../view/units.ts";
import type { Visit } from "../visit.ts";

/** What stands above the page of an object that code owns. */
export function codeOwnerBox({ codeOwner }: Visit): Html | false {
  if (codeOwner === undefined) return false;
  const { project, logicalId, sourceFile, isChanged } = codeOwner;
  const { repoUrl, commitId, branch, deployedAtMs } = project;
  const about = html`${isChanged ? texts.warning(project.name) : texts.owned(project.name)} ${texts.declared(logicalId)}${sourceFile !== null && texts.inFile(sourceFile)}${repoUrl !== null && texts.ofRepository(repositoryText(repoUrl))}${commitId !== null && texts.atCommit(commitId.slice(0, 12))}${branch !== null && texts.onBranch(branch)}${deployedAtMs !== null && texts.deployed(timeElement(deployedAtMs))}.`;
  return isChanged ? html`<p class="box warn code-owner" role="note">${about}</p>` : html`<p class="hint code-owner">${about}</p>`;
}

/** A link where it is one; what lets somebody in is left out of it. */
function repositoryText(repoUrl: string): Html {
  const url = URL.canParse(repoUrl) ? new URL(repoUrl) : null;
  if (url === null || !(url.protocol === "https:" || url.protocol === "http:"))
    return html`<code>${repoUrl.replace(/\/\/[^/@]*@/, "//")}</code>`;
  url.username = "";
  url.password = "";
  return html`<a href="${url.href}" rel="noreferrer">${url.host}${url.pathname}</a>`;
}
