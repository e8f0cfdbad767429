import { renderSVG } from "uqr";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { UserRow } from "../../storage/storage.ts";
import { secondFactorTexts as texts } from "../../texts/second-factor.ts";
import { shellTexts } from "../../texts/shell.ts";
import { Html, html } from "../../view/html.ts";
import { codeField, type FormProblems, field, hidden, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { askedProof, isAskedProof } from "../sign-in/asked-proof.ts";
import type { Entering } from "../sign-in/enter.ts";
import type { SecondFactors } from "../sign-in/second-factors.ts";
import type { SignIns } from "../sign-in/signed-in.ts";
import { base32, totpAddress } from "../sign-in/totp.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { typed } from "./person-fields.ts";
import { type Proving, proven } from "./prove-again.ts";

export interface SecondFactorPageDeps extends Proving {
  readonly secondFactors: SecondFactors;
  readonly entering: Entering;
  readonly signIns: SignIns;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
}

const path = "/profile/second-factor";

/** Turning the second factor on and off, and new recovery codes. Each asks for the password, so that an open browser is not enough. */
export function secondFactorPages(
  deps: SecondFactorPageDeps,
  back: (visit: Visit, problems: FormProblems, status: number) => Promise<FormAnswer>,
): readonly ConsolePage[] {
  const page = (name: string, change: (visit: Visit, user: UserRow) => Promise<FormAnswer>): ConsolePage => ({
    method: "POST",
    path: `${path}/${name}`,
    access: "read",
    isForBarred: true,
    answer: async (visit) => (visit.user === null ? redirect("/profile") : change(visit, visit.user)),
  });
  const asked = async (
    visit: Visit,
    user: UserRow,
    secret: "password" | "both",
    change: () => Promise<FormAnswer>,
  ): Promise<FormAnswer> => {
    const wrong = await proven(deps, visit, user, secret === "both" ? deps.secondFactors : null);
    return wrong === null ? change() : back(visit, wrong.problems, wrong.status);
  };
  return [
    page("begin", (visit, user) =>
      asked(visit, user, "password", async () => {
        await deps.secondFactors.begin(user);
        return setUpPage(deps, visit, user, askedProof(asking(deps, visit)));
      }),
    ),
    page("confirm", (visit, user) => confirm(deps, visit, user)),
    page("codes", (visit, user) =>
      asked(visit, user, "both", async () => {
        const codes = await deps.secondFactors.renewCodes(user);
        await visit.audit("renewRecoveryCodes", user.uuid, ["recoveryCodes"]);
        return codesPage(visit, codes);
      }),
    ),
    page("off", (visit, user) =>
      asked(visit, user, "both", async () => {
        await deps.secondFactors.turnOff(user);
        await visit.audit("turnOffSecondFactor", user.uuid, ["secondFactor"]);
        return redirect("/profile?done=off");
      }),
    ),
  ];
}

/** Only where it was begun: who sits at another open browser shall neither see the secret nor make it his own. */
async function confirm(deps: SecondFactorPageDeps, visit: Visit, user: UserRow): Promise<FormAnswer> {
  const { form } = visit.request;
  const [code, asked] = [typed(form, "code"), form.get("asked") ?? ""];
  if (!isAskedProof(asking(deps, visit), asked)) return redirect("/profile");
  if (code === "") return setUpPage(deps, visit, user, asked, { code: texts.noCode });
  const codes = await deps.secondFactors.turnOn(user, code);
  if (codes === null) return setUpPage(deps, visit, user, asked, { code: texts.wrongCode });
  await visit.audit("turnOnSecondFactor", user.uuid, ["secondFactor", "recoveryCodes"]);
  // What was signed in without it has ended; here it goes on, with it.
  const method = visit.method === "provider" ? visit.method : "second-factor";
  const cookies = await deps.signIns.open(visit.request.headers, visit.account.id, { userId: user.id, method });
  return { ...codesPage(visit, codes), cookies };
}

function asking({ hashOf, nowMs }: SecondFactorPageDeps, { tokenHash }: Visit): Parameters<typeof askedProof>[0] {
  return { hashOf, askedFor: "second-factor", tokenHash, nowMs: nowMs() };
}

/** The secret is told here alone, before it counts. @param asked goes with the form: it was begun here */
async function setUpPage(
  deps: SecondFactorPageDeps,
  visit: Visit,
  user: UserRow,
  asked: string,
  problems: FormProblems = {},
): Promise<FormAnswer> {
  const secret = await deps.secondFactors.waiting(user);
  if (secret === null) return redirect("/profile");
  const picture = renderSVG(totpAddress(secret, shellTexts.product, user.email), { pixelSize: 4, border: 4 });
  const body = html`<h1>${texts.setUpTitle}</h1>
<p class="lead">${texts.setUpLead}</p>
${problemBox(problems[""])}
<section class="narrow"><figure role="img" aria-label="${texts.picture}">${drawn(picture)}</figure>
<p class="hint">${texts.secret}: <code>${base32(secret)
    .replaceAll(/(.{4})/g, "$1 ")
    .trim()}</code></p>
${postForm(`${path}/confirm`, visit.csrf, html`${hidden("asked", asked)}\n${codeField({ label: texts.code, problems, isFirst: true })}\n<button>${texts.confirm}</button>`)}</section>`;
  return { ...consolePage(visit, { title: texts.setUpTitle, body }), status: "code" in problems ? 400 : 200 };
}

/** Squares alone: what they say is not in the markup. */
function drawn(svg: string): Html {
  return new Html(svg);
}

function codesPage(visit: Visit, codes: readonly string[]): FormAnswer {
  const body = html`<h1>${texts.codesTitle}</h1>
<p class="lead">${texts.codesLead}</p>
<section class="narrow"><ul class="list">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="/profile">${texts.toProfile}</a></p></section>`;
  return consolePage(visit, { title: texts.codesTitle, body });
}

/** The part of the profile. @param codesLeft null where it is off */
export function secondFactorSection(visit: Visit, user: UserRow, codesLeft: number | null, problems: FormProblems): Html {
  if (user.passwordHash === null) return section(html`<p class="hint">${texts.ofProvider}</p>`);
  const current = (id: string): Html => currentPassword(id, problems);
  if (codesLeft === null)
    return section(html`<p class="hint">${texts.lead}</p>
${postForm(`${path}/begin`, visit.csrf, html`${current("begin")}<button>${texts.turnOn}</button>`)}`);
  const both = (id: string, label: string): Html => html`${current(id)}
${codeField({ id: `${id}-code`, label: texts.code, hint: texts.codeHint, problems })}
<button class="quiet">${label}</button>`;
  return section(html`<p class="hint">${texts.isOn(codesLeft)}</p>
<details><summary>${texts.newCodes}</summary>${postForm(`${path}/codes`, visit.csrf, both("codes", texts.newCodes))}</details>
<details><summary>${texts.turnOff}</summary>${postForm(`${path}/off`, visit.csrf, both("off", texts.turnOff))}</details>`);
}

function section(content: Html): Html {
  return html`<section class="narrow" id="second-factor"><h2>${texts.title}</h2>${content}</section>`;
}

/** One of several forms of a page that ask for it. */
export function currentPassword(id: string, problems: FormProblems): Html {
  return field({ id: `${id}-proof`, name: "proof", label: texts.password, type: "password", autocomplete: "current-password", problems });
}
