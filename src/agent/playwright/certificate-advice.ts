const unlessAccepted = "test.use({ ignoreHTTPSErrors: true }) accepts it";

/** What Chromium, Node.js and OpenSSL say of a certificate that they do not take, and what would change that. */
const advices: readonly (readonly [said: RegExp, advice: string])[] = [
  [
    /ERR_CERT_DATE_INVALID|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|certificate has expired|certificate is not yet valid/,
    `the certificate of the target is out of date: renew it; ${unlessAccepted}`,
  ],
  [
    /ERR_CERT_COMMON_NAME_INVALID|ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
    `the certificate of the target is for another host: open it by a name that the certificate has; ${unlessAccepted}`,
  ],
  [
    /ERR_CERT_AUTHORITY_INVALID|SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|self[- ]signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/,
    `this agent does not know the authority of the target's certificate: name it in NODE_EXTRA_CA_CERTS of the agent; ${unlessAccepted}`,
  ],
];

/** A sentence with the setting that helps; null where a message is not about a certificate. */
export function certificateAdvice(message: string): string | null {
  return advices.find(([said]) => said.test(message))?.[1] ?? null;
}
