import { X509Certificate } from "node:crypto";
import type { AgentConfig } from "../config.ts";
import { readLocationKey } from "../contact/location-key.ts";
import { readExtraCas } from "../host/extra-ca.ts";
import { messageOf } from "./failure.ts";
import type { Finding } from "./finding.ts";

/** The key of the location, its kind and its file. */
export function diagnoseKey({ key: source }: AgentConfig): Finding {
  const about = "key";
  try {
    const key = readLocationKey(source);
    if (!/^pl_[0-9a-f]{32}$/.test(key.reveal()))
      return {
        about,
        verdict: "warn",
        text: "the key does not look like a location key (pl_ and 32 hexadecimal digits)",
        next: "copy it again",
      };
    if (source.from === "value") return { about, verdict: "ok", text: "a location key is set by API_KEY" };
    const text = `a location key is in ${source.path} (API_KEY_FILE)`;
    if (!source.hidesValue) return { about, verdict: "ok", text };
    return { about, verdict: "warn", text: `${text}; API_KEY is set too, and not used`, next: "keep one of the two" };
  } catch (error) {
    return { about, verdict: "fail", text: messageOf(error), next: "an agent ends at its start with exit code 2 until this is put right" };
  }
}

/** What is trusted beside the usual CAs. */
export function diagnoseCas(path: string | null): Finding {
  const about = "CA bundle";
  if (path === null) return { about, verdict: "ok", text: "the usual CAs are trusted (NODE_EXTRA_CA_CERTS is not set)" };
  try {
    const certificates = readExtraCas(path).map((pem) => new X509Certificate(pem));
    const ended = certificates.filter(({ validToDate }) => validToDate.getTime() < Date.now()).length;
    const text = `the usual CAs and ${certificates.length} of ${path} are trusted${ended === 0 ? "" : `; ${ended} of them ended`}`;
    if (ended < certificates.length) return { about, verdict: "ok", text }; // public bundles have some that ended
    return { about, verdict: "warn", text, next: "put in the CA that is in use now; or the clock of this machine is wrong" };
  } catch (error) {
    return {
      about,
      verdict: "fail",
      text: messageOf(error),
      next: "name a PEM or DER file, or a folder of them; an agent ends at its start with exit code 2",
    };
  }
}
