/** `https://shop.example.com:8443/cart`, and hosts that stand alone: `shop.example.com`. */
const addresses = /\bhttps?:\/\/[^\s"'<>()[\]{}]+/gi;
const addressWithSix = /\bhttps?:\/\/\[[0-9a-f:.]+\](?::\d+)?/gi;
const bareHosts = /(?<![\w@./-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(?![\w-])/gi;
const wholeHost = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$|^\[[0-9a-f:.]+\]$/i;

/** Hosts that a prompt names, in lower case: a run may open them. */
export function hostsIn(prompt: string): readonly string[] {
  const ofAddresses = [...(prompt.match(addresses) ?? []), ...(prompt.match(addressWithSix) ?? [])].flatMap((text) => {
    const url = URL.parse(text.replace(/[.,;:!?]+$/, ""));
    return url === null || url.hostname === "" ? [] : [url.hostname];
  });
  const bare = prompt.match(bareHosts) ?? [];
  return [...new Set([...ofAddresses, ...bare].map((host) => host.toLowerCase()))];
}

/** Whether something may stand in `allowedHosts`: a host, an address, or `*.` and a domain. */
export function mayBeAllowedHost(text: string): boolean {
  return wholeHost.test(text) && !text.includes("..");
}

/** All that a run may open: hosts, and `*.` before a domain stands for whatever is below it. */
export function openableHosts(prompt: string, allowedHosts: readonly string[] | null): readonly string[] {
  return [...new Set([...hostsIn(prompt), ...(allowedHosts ?? []).map((host) => host.toLowerCase())])];
}
