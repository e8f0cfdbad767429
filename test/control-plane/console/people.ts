import { setUpAddress } from "../../../src/control-plane/console/people/set-up-token.ts";
import type { Role } from "../../../src/control-plane/storage/storage.ts";
import type { ControlPlaneUnderTest } from "../control-plane-under-test.ts";
import { type Browser, browser } from "./browser.ts";

export const password = "a fine long phrase";
export const ada = { name: "Ada", email: "ada@example.com", password };

/** Makes the first owner as a person does, and leaves him signed in. */
export async function firstOwner(plane: ControlPlaneUnderTest, person = ada): Promise<Browser> {
  const here = browser(plane.base);
  const address = (await setUpAddress(plane.context, "", Date.now()))?.address ?? "/set-up";
  await here.get(address);
  const made = await here.post("/set-up", { ...person, token: address.split("=")[1] ?? "" });
  if (made.location !== "/") throw new Error(`no owner was made: ${made.status}`);
  return here;
}

/** Somebody whom `owner` invited and who joined, signed in. */
export async function joined(plane: ControlPlaneUnderTest, owner: Browser, email: string, role: Role): Promise<Browser> {
  await owner.get("/members");
  const { text } = await owner.post("/members/invitations", { email, role });
  const link = /<code>([^<]+)<\/code>/.exec(text)?.[1] ?? "";
  const here = browser(plane.base);
  await here.get(new URL(link).pathname);
  const { location } = await here.post(new URL(link).pathname, { name: email.split("@")[0] ?? "", password });
  if (location !== "/") throw new Error(`${email} did not join`);
  return here;
}

export async function signIn(plane: ControlPlaneUnderTest, fields: Readonly<Record<string, string>>, path = "/sign-in") {
  const here = browser(plane.base);
  await here.get(path);
  const page = await here.post("/sign-in", fields);
  return { here, page };
}
