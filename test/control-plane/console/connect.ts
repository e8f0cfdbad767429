import type { Browser, Page } from "./browser.ts";
import { password } from "./people.ts";
import type { OidcServer } from "./sign-in/oidc-server.ts";

/** Connects whom the provider signs in now to whoever is signed in here, as a person does in the profile. */
export async function connect(here: Browser, provider: OidcServer): Promise<Page> {
  await here.get("/profile");
  const { text } = await here.post("/profile/provider", { proof: password });
  const begun = await here.get(/href="(\/sign-in\/sso\?connect=[^"]+)"/.exec(text)?.[1] ?? "/nothing");
  return here.get(provider.authorize(begun.location ?? ""));
}
