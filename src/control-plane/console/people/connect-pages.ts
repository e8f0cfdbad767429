import type { FormAnswer } from "../../http/form-routes.ts";
import type { IdentityStore, UserRow } from "../../storage/storage.ts";
import { connectTexts as texts } from "../../texts/second-factor.ts";
import { type Html, html } from "../../view/html.ts";
import { type FormProblems, postForm } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { askedProof } from "../sign-in/asked-proof.ts";
import type { OidcSettings } from "../sign-in/oidc-settings.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { type Proving, proven } from "./prove-again.ts";
import { currentPassword } from "./second-factor-pages.ts";

export interface ConnectDeps extends Proving {
  readonly identities: Pick<IdentityStore, "ofUser" | "disconnect">;
  readonly oidc: OidcSettings | null;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
}

type Back = (visit: Visit, problems: FormProblems, status: number) => Promise<FormAnswer>;

/** The way in by a provider, connected and disconnected by whoever shows the password. */
export function connectPages(deps: ConnectDeps, back: Back): readonly ConsolePage[] {
  const page = (path: ConsolePage["path"], change: (visit: Visit, user: UserRow) => Promise<FormAnswer>): ConsolePage => ({
    method: "POST",
    path,
    access: "read",
    isForBarred: true,
    answer: async (visit) => {
      if (visit.user === null || deps.oidc === null) return redirect("/profile");
      const wrong = await proven(deps, visit, visit.user, null);
      return wrong === null ? change(visit, visit.user) : back(visit, wrong.problems, wrong.status);
    },
  });
  return [
    page("/profile/provider", async (visit) => goOnPage(deps, visit)),
    page("/profile/provider/disconnect", async (visit, user) => {
      await deps.identities.disconnect(user.id);
      await visit.audit("disconnectProvider", user.uuid, ["identity"]);
      return redirect("/profile?done=disconnected");
    }),
  ];
}

/** A link, as forms of our pages lead nowhere else; only this sign-in can use it, and soon. */
function goOnPage({ oidc, hashOf, nowMs }: ConnectDeps, visit: Visit): FormAnswer {
  const name = oidc?.name ?? "";
  const proof = askedProof({ hashOf, askedFor: "sso-connect", tokenHash: visit.tokenHash, nowMs: nowMs() });
  const body = html`<h1>${texts.goOnTitle(name)}</h1>
<p class="lead">${texts.goOnLead(name)}</p>
<p><a href="/sign-in/sso?connect=${proof}">${texts.goOn(name)}</a></p>`;
  return consolePage(visit, { title: texts.goOnTitle(name), body });
}

/** The part of the profile; nothing where there is no provider. */
export async function connectSection(
  { identities, oidc }: ConnectDeps,
  visit: Visit,
  user: UserRow,
  problems: FormProblems,
): Promise<Html | false> {
  if (oidc === null) return false;
  const isConnected = (await identities.ofUser(user.id)).length > 0;
  const form = (path: string, label: string): Html =>
    postForm(path, visit.csrf, html`${currentPassword("connect", problems)}<button class="quiet">${label}</button>`);
  const withPassword = isConnected ? form("/profile/provider/disconnect", texts.disconnect) : form("/profile/provider", texts.connect);
  return html`<section class="narrow" id="provider"><h2>${texts.title(oidc.name)}</h2>
<p class="hint">${isConnected ? texts.isOn : texts.lead}</p>
${user.passwordHash === null ? html`<p class="hint">${texts.needsPassword}</p>` : withPassword}</section>`;
}
