import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";

/*
 * Examples name addresses of services on the internet, and a control plane sends alerts to them: here no name but this machine's own is found.
 */
const { lookup } = dns;

function lookupHere(...args: Parameters<typeof lookup>): void {
  const [name] = args;
  if (isIP(name) !== 0 || /^(?:.+\.)?localhost$/.test(name)) return lookup(...args);
  const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND", syscall: "getaddrinfo", hostname: name });
  const callback = args.at(-1) as unknown as (error: Error) => void;
  setImmediate(callback, error);
}

dns.lookup = lookupHere as typeof lookup;
syncBuiltinESMExports();
