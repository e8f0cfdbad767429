import type { BrowserContext, Page, Route } from "playwright-core";

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
      await evenIfRenewed(page, () => held(page, () => look(page, address)));
    }
    await page.close();
  };
  await Promise.all([walk(), walk()]);
  return seen;
}

/** Looking takes longer than some pages wait until they renew themselves, such as that of a session that waits: they stay as they are. */
async function held(page: Page, work: () => Promise<void>): Promise<void> {
  const hold = (route: Route): Promise<void> => {
    const request = route.request();
    const isRenewal = request.isNavigationRequest() && request.frame() === page.mainFrame();
    return isRenewal ? route.fulfill({ status: 204 }) : route.fallback();
  };
  await page.route("**/*", hold);
  try {
    await work();
  } finally {
    await page.unroute("**/*", hold);
  }
}

/** Dashboards and lists renew themselves at times: what meets that is done again, three times where the machine is slow. */
async function evenIfRenewed<T>(page: Page, work: () => Promise<T>, left = 3): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (left === 0 || !/ERR_ABORTED|context was destroyed|interrupted by another navigation/.test(String(error))) throw error;
    await page.waitForLoadState();
    return evenIfRenewed(page, work, left - 1);
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
