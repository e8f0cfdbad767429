import type { Snippet } from "#contract/snippets.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { html } from "../../pages/html.ts";
import { textArea } from "../form-inputs.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";

interface SnippetView {
  /** Null: it is yet to be made. */
  readonly snippet: Snippet | null;
  /** What stands in the fields. */
  readonly draft: Pick<Snippet, "name" | "script">;
  readonly problems?: FormProblems;
  readonly status?: number;
}

const style = `${tellStyle}
.code { max-width: 64rem; }
.code .field:first-of-type input { max-width: 26rem; }
.code textarea, pre.code { tab-size: 2; }
pre.code { padding: .8rem 1rem; overflow: auto; background: var(--sunken); border-radius: 8px; margin: 0; }
`;

/** A snippet to be made, changed or, for those who may not, read. */
export function snippetPage(visit: Visit, { snippet, draft, problems = {}, status = 200 }: SnippetView): FormAnswer {
  const title = snippet?.name ?? "New snippet";
  const rows = Math.min(40, Math.max(14, draft.script.split("\n").length + 2));
  const content = html`${field({ name: "name", label: "Name", value: draft.name, hint: "Scripts take it in as ./snippets/name.js", autocomplete: "off", maxLength: 255, isFirst: snippet === null, problems })}
${textArea({ name: "script", label: "Code", value: draft.script, hint: "Node.js code.", rows, maxLength: 262_144, problems })}
<div class="send"><button>${snippet === null ? "Create the snippet" : "Save"}</button><a href="/snippets">Cancel</a></div>`;
  const body = html`<p class="crumbs"><a href="/snippets">Snippets</a></p>
<h1>${title}</h1>
${problemBox(problems[""])}
${
  roleAllows(visit.role, "write")
    ? postForm(snippet === null ? "/snippets" : `/snippets/${snippet.id}`, visit.csrf, content, "form code")
    : html`<pre class="code" tabindex="0" role="region" aria-label="Code">${draft.script}</pre>`
}`;
  return { ...consolePage(visit, { title, style, body }), status };
}
