import { type Browser, browser } from "../../control-plane/console/browser.ts";
import type { Site } from "../site.ts";
import type { Canaries } from "./canaries.ts";
import type { Trace } from "./search.ts";

const mostPages = 400;
/** Not followed: what ends the visit. */
const endings = /^\/(sign-out|assets)\b/;

/** Every page that a person reaches by following links, from the first one on; what cannot be read is left out. */
async function crawled(who: string, here: Browser, first: readonly string[]): Promise<Trace[]> {
  const known = new Set(first);
  const traces: Trace[] = [];
  for (const path of known) {
    const { status, text, location } = await here.get(path);
    if (status === 200) traces.push({ place: `page of ${who} ${path}`, bytes: Buffer.from(text) });
    const links = [...text.matchAll(/(?:href|action)="(\/[^"#]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&"));
    for (const link of location?.startsWith("/") === true ? [...links, location] : links)
      if (known.size < mostPages && !endings.test(link)) known.add(link);
  }
  return traces;
}

/** Two people of one account: who set it up, and one who may read only. */
export interface People {
  readonly owner: Browser;
  readonly reader: Browser;
}

/** As people do: with the address in the log, and with an invitation. */
export async function makePeople(site: Site, { ownerPassword, readerPassword }: Canaries): Promise<People> {
  const { address } = await site.controlPlane.logged("there is no owner yet: open this address to create the first one");
  const token = new URL(String(address)).searchParams.get("token") ?? "";
  const owner = browser(site.base);
  await owner.get(`/set-up?token=${token}`);
  await owner.post("/set-up", { name: "Ada", email: "ada@example.com", password: ownerPassword.value, token });
  await owner.get("/members");
  const { text } = await owner.post("/members/invitations", { email: "reader@example.com", role: "READ_ONLY" });
  const link = new URL(/<code>([^<]+)<\/code>/.exec(text)?.[1] ?? "").pathname;
  const reader = browser(site.base);
  await reader.get(link);
  const { location } = await reader.post(link, { name: "Bob", password: readerPassword.value });
  if (location !== "/") throw new Error("nobody joined");
  return { owner, reader };
}

/** What both read, each by himself; and strangers, of pages that are for everybody. */
export async function readPages(
  site: Site,
  { owner, reader }: People,
  open: readonly string[],
): Promise<Record<"asOwner" | "asReader" | "asStranger", Trace[]>> {
  return {
    asOwner: await crawled("the owner", owner, ["/"]),
    asReader: await crawled("a reader", reader, ["/"]),
    asStranger: await crawled("a stranger", browser(site.base), ["/", "/sign-in", ...open]),
  };
}
