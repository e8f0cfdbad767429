/** What a refusal of the control plane, or of a proxy in its place, means, and what to do next; by status. */
export const refusals: Readonly<Record<number, readonly [text: string, next: string]>> = {
  401: ["nobody issued this key, or it was revoked (401)", "create a new key for the location and set API_KEY or replace the file"],
  403: [
    "the key is known, but may not be used for an agent here (403)",
    "use a key of a private location (pl_…); where the location admits no new host by itself, admit this one on the location's page",
  ],
  404: ["there is no agent protocol at this address (404)", "API_URL must be the base URL of the control plane, without a path of its API"],
  426: ["agent and control plane do not speak the same protocol (426)", "install the agent version that belongs to the control plane"],
  429: ["the control plane limits this key at the moment (429)", "try again in a minute"],
  502: ["a proxy answers, but the control plane behind it does not (502)", "start the control plane, or look at the proxy's log"],
  503: ["the control plane cannot answer now (503)", "look at its log and its storage"],
  504: ["a proxy answers, but the control plane behind it is too slow (504)", "look at the control plane's log"],
};

const advices: readonly (readonly [code: RegExp, next: string])[] = [
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)/, "correct the clock of this machine if it is wrong, else renew the certificate"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID/, "use a host name in API_URL that the certificate was issued for"],
  [
    /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|INVALID_CA)/,
    "set NODE_EXTRA_CA_CERTS to the CA that issued it (a PEM file or a folder of them)",
  ],
  [/^(ERR_SSL_|EPROTO)/, "the port may speak plain HTTP: try http:// in API_URL, or the TLS port"],
  [/^ECONNREFUSED/, "nothing listens on this port there: check the port in API_URL, or the proxy's URL"],
  [/^ENOTFOUND/, "check the spelling of API_URL, and the search domains of this host or container"],
  [/^EAI_AGAIN/, "the name servers in /etc/resolv.conf do not answer; in a container check its DNS settings"],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)/, "a firewall is likely: allow outgoing traffic to this host and port"],
  [/\b407\b/, "put user and password into the proxy's URL: http://user:password@host:port"],
];

/** What to do about a failed call; `reason` begins with a code of the system, of TLS, or with a status. Null where only a look can tell. */
export function adviceFor(reason: string): string | null {
  const known = advices.find(([pattern]) => pattern.test(reason));
  return known?.[1] ?? refusals[Number(/^(\d{3})\b/.exec(reason)?.[1])]?.[1] ?? null;
}
