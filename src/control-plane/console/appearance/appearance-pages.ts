import { returnTo } from "../sign-in/return-to.ts";
import { type ConsolePage, redirect } from "../visit.ts";
import { appearanceCookie, appearanceOf, chosenAppearance } from "./appearance.ts";

/** Takes what somebody chose in his menu, and leads back to where he was. */
export function appearancePages({ isSecure }: { readonly isSecure: boolean }): readonly ConsolePage[] {
  return [
    {
      method: "POST",
      path: "/appearance",
      access: "read",
      isForBarred: true,
      answer: async ({ request: { form, headers } }) => {
        const chosen = chosenAppearance(form.get("theme") ?? undefined, form.get("density") ?? undefined, appearanceOf(headers));
        return redirect(returnTo(form.get("to")), [appearanceCookie(chosen, isSecure)]);
      },
    },
  ];
}
