import type { BrowserContext, Page } from "playwright-core";

/** Pages by their address; what links lead to is found on the way, one page of each kind. */
export async function tour(
  context: BrowserContext,
  base: string,
  starts: readonly string[],
  look: (page: Page, address: string) => Promise<void>,
): Promise<readonly string[]> {
  const waiting = [...starts];
  const kinds = new Set(starts.map(kindOf));
  const seen: string[] = [];
  const walk = async (): Promise<void> => {
    const page = await context.newPage();
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      const { href } = new URL(address, base);
      const answer = await evenIfRenewed(page, () => page.goto(href));
      if (answer?.headers()["content-type"]?.startsWith("text/html") !== true) continue;
      seen.push(address);
      for (const found of await linksOf(page, base)) {
        if (kinds.has(kindOf(found))) continue;
        kinds.add(kindOf(found));
        waiting.push(found);
      }
      await evenIfRenewed(page, () => look(page, address));
    }
    await page.close();
  };
  await Promise.all([walk(), walk()]);
  return seen;
}

/** Dashboards and lists renew themselves at times: what meets that is done once more. */
async function evenIfRenewed<T>(page: Page, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!/ERR_ABORTED|context was destroyed/.test(String(error))) throw error;
    await page.waitForLoadState();
    return work();
  }
}

/** Addresses of the same page but for ids and what is asked of it are of one kind; so are all documents of the guide. */
function kindOf(address: string): string {
  const path = (address.split(/[?#]/)[0] ?? "").replace(/^\/docs\/guide\/.+/, "/docs/guide/{document}");
  return path.replaceAll(/\/(?:[0-9a-f]{8}-[0-9a-f-]{27}|\d+)(?=\/|$)/g, "/{id}");
}

async function linksOf(page: Page, base: string): Promise<readonly string[]> {
  const all = await page.evaluate<string[]>(
    "[...document.links].filter((link) => !link.hasAttribute('download')).map((link) => link.href)",
  );
  return all.filter((href) => href.startsWith(`${base}/`) && !/\.(json|ics)$/.test(href)).map((href) => href.slice(base.length));
}
