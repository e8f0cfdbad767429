import { join } from "node:path";
import { type LandlockPath, launcher } from "../sandbox/launcher-order.ts";
import { innerFence, insideFolder, type TreeParts } from "./fence.ts";

/**
 * What no script may change: everything goes through the run's proxy, loopback too, nothing goes past it over UDP, and the browser sends
 * nothing of its own.
 */
function flagsFor(proxyPort: number, keyHash: string | null): string[] {
  return [
    ...(keyHash === null ? [] : [`--ignore-certificate-errors-spki-list=${keyHash}`]),
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    "--proxy-bypass-list=<-loopback>",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
  ];
}

/**
 * The text of a program that becomes the browser in its inner fence. It runs on this process's own Node.js, which can call libc.
 *
 * @param keyHash of the run's own authority, which stands for hosts that have a client certificate
 */
export function browserWrapper(parts: TreeParts, browser: string, keyHash: string | null, more: readonly LandlockPath[] = []): string {
  const order = innerFence(parts, [browser, ...flagsFor(parts.proxyPort, keyHash)], more);
  const words = [launcher, order].map((word) => JSON.stringify(word)).join(", ");
  return `#!${process.execPath} --no-warnings\nrequire(${JSON.stringify(join(insideFolder, "browser.cjs"))})(${words});\n`;
}
