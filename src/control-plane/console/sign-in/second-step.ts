import type { AuditWriter } from "../../audit/write-audit.ts";
import { auditRequest } from "../../http/audit.ts";
import type { FormAnswer, FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import type { MemberStore, MembershipRow, UserRow } from "../../storage/storage.ts";
import { secondFactorTexts as texts } from "../../texts/second-factor.ts";
import { signInTexts } from "../../texts/sign-in.ts";
import { html } from "../../view/html.ts";
import { codeField, type FormProblems, hidden, postForm, problemBox } from "../form-view.ts";
import { typed } from "../people/person-fields.ts";
import { cardPage } from "../shell.ts";
import { redirect } from "../visit.ts";
import { type Entering, secondStepPath } from "./enter.ts";
import type { EntranceDeps } from "./entrance.ts";
import { returnTo } from "./return-to.ts";
import type { Proof, SecondFactors } from "./second-factors.ts";

export interface SecondStepDeps extends Pick<EntranceDeps, "visitors" | "browsers" | "codeAttempts"> {
  readonly entering: Pick<Entering, "halfIn" | "finish">;
  readonly secondFactors: Pick<SecondFactors, "prove">;
  readonly members: Pick<MemberStore, "ofUser">;
  readonly note: AuditWriter["note"];
  readonly nowMs: () => number;
}

/** The second page of signing in: only for a browser in which the password was right a moment ago. */
export function secondStepRoutes(deps: SecondStepDeps): readonly FormRoute[] {
  const { visitors, entering } = deps;
  return [
    {
      method: "GET",
      path: secondStepPath,
      answer: async (request) => {
        const to = returnTo(request.query.get("to"));
        if ((await entering.halfIn(request.headers)) === undefined) return redirect("/sign-in");
        return visitors.show(request, (csrf) => stepPage({ csrf, to }));
      },
    },
    { method: "POST", path: secondStepPath, judge: visitors.judge, answer: (request) => take(deps, request) },
  ];
}

async function take(deps: SecondStepDeps, request: FormRequest): Promise<FormAnswer> {
  deps.visitors.refuseForged(request);
  const user = await deps.entering.halfIn(request.headers);
  const [first] = await deps.members.ofUser(user?.id ?? 0);
  if (user === undefined || first === undefined) return redirect("/sign-in");
  const to = returnTo(request.form.get("to"));
  const code = typed(request.form, "code");
  const shown = (problems: FormProblems, status: number): FormAnswer =>
    deps.visitors.show(request, (csrf) => stepPage({ csrf, to, problems, status }));
  if (code === "") return shown({ code: texts.noCode }, 400);
  const begun = deps.codeAttempts.begin(request.ip, user.uuid, deps.browsers.find(request.headers, user.email));
  if ("pauseSeconds" in begun) {
    const answer = shown({ "": signInTexts.pause(begun.pauseSeconds) }, 429);
    return { ...answer, headers: { ...answer.headers, "retry-after": String(begun.pauseSeconds) } };
  }
  const proof = await deps.secondFactors.prove(user, code);
  noteStep(deps, request, user, first, proof);
  if (proof === null) return shown({ code: texts.wrongCode }, 401);
  begun.takeBack();
  return (await deps.entering.finish(request, user, first.accountId, to)) ?? redirect("/sign-in");
}

function noteStep(
  { note, nowMs }: SecondStepDeps,
  request: FormRequest,
  { uuid, email }: UserRow,
  { accountId, role }: MembershipRow,
  proof: Proof | null,
): void {
  const actor = { userId: uuid, userName: email, role };
  const told = auditRequest("POST", request, proof === null ? 401 : 303);
  const fields = ["password", proof ?? "totp"];
  note({ accountId, atMs: nowMs(), operation: "signIn", resourceId: null, fields, actor, request: told });
}

interface StepView {
  readonly csrf: string;
  readonly to: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function stepPage({ csrf, to, problems = {}, status = 200 }: StepView): PageAnswer {
  const content = html`${to !== "/" && hidden("to", to)}
${codeField({ label: texts.code, hint: texts.codeHint, problems, isFirst: true })}
<button>${signInTexts.signIn}</button>`;
  const body = html`<h1>${texts.stepTitle}</h1>
<p class="lead">${texts.stepLead}</p>
${problemBox(problems[""])}
${postForm(secondStepPath, csrf, content)}
<p class="sso"><a href="/sign-in">${signInTexts.back}</a></p>`;
  return cardPage({ title: texts.stepTitle, body, status });
}
