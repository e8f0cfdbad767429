import type { Secret } from "#daemon/secret.ts";
import { createScrubber } from "#domain/scrub/scrubber.ts";

/** The agent's own key, in every form it had in this process's life; session tokens come and go and are random. */
export interface OwnSecrets {
  remember(secret: Secret): Secret;
  mask(text: string): string;
}

export function createOwnSecrets(): OwnSecrets {
  const known = new Set<string>();
  return {
    remember(secret) {
      known.add(secret.reveal());
      return secret;
    },
    mask: (text) =>
      createScrubber([...known])
        .scrubText(text)
        .replace(/\b(?:pl|cu|sv)_[0-9a-f]{8,}/gi, "********"),
  };
}
