import { AppError } from "#domain/app-error.ts";
import { isMissingFromRegistry, type NpmOutcome } from "./npm.ts";

const network = /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EHOSTUNREACH|ENETUNREACH|EPROTO|FETCH_ERROR)/;
const certificate = /CERT|ISSUER|SIGNED/;

/** What to do about a failure of npm, as a sentence. */
export function npmError({ code, message }: Extract<NpmOutcome, { ok: false }>, followsLock: boolean): AppError {
  const said = message.trim().split("\n").slice(0, 3).join(" ").slice(0, 500);
  if (certificate.test(code)) {
    return new AppError("unreachable", `npm does not trust its registry (${code}): name the CA's file in NODE_EXTRA_CA_CERTS`);
  }
  if (network.test(code)) {
    const check = 'check the network, the proxy variables (HTTPS_PROXY, NO_PROXY) and "npm config get registry"';
    return new AppError("unreachable", `npm could not reach its registry (${code}): ${check}`);
  }
  if (code === "E401" || code === "E403") {
    return new AppError("forbidden", `npm's registry refused (${code}): check the access that .npmrc gives. npm says: ${said}`);
  }
  if (code === "ENOSPC") return new AppError("unavailable", "The disk is full: a runtime takes up to 1.5 GB while it is installed");
  if (code === "EINTEGRITY")
    return new AppError("conflict", `A package has not the contents that its checksum promises. npm says: ${said}`);
  const next = followsLock && isMissingFromRegistry(code) ? ". RUNTIME_LOCK=off takes what this registry has" : "";
  return new AppError("unavailable", `npm failed (${code}): ${said}${next}`);
}
