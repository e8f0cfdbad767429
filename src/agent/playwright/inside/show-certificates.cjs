"use strict";
const tls = require("node:tls");
const known = require("./job.cjs");

/** As `egress/present-certificate.ts` has it. */
const wish = "outpost-client-certificate";

/**
 * Has the agent show a client certificate to the hosts that it is stored for: the run's proxy does, which alone has the key, and stands for the host
 * with a certificate of the run's own authority. A script that shows one itself keeps its tunnel.
 */
module.exports = function showCertificates() {
  const { connect, createSecureContext } = tls;
  tls.connect = (...given) => {
    const options = given.find((one) => typeof one === "object" && one !== null);
    if (options === undefined || options.cert !== undefined || options.pfx !== undefined) return connect(...given);
    const host = options.servername || options.host || given.find((one) => typeof one === "string" && !/^\d+$/.test(one));
    if (!hasCertificate(comparable(host))) return connect(...given);
    const secureContext = options.secureContext ?? createSecureContext(options);
    secureContext.context.addCACert(known.job.authority);
    return connect(...given.map((one) => (one === options ? { ...options, secureContext, ALPNProtocols: wishing(options) } : one)));
  };
};

/** The host itself, or what is directly below a domain. */
function hasCertificate(name) {
  const above = `*${name.slice(name.indexOf("."))}`;
  return known.job?.certificates.map(comparable).some((wanted) => wanted === name || wanted === above) === true;
}

function comparable(host) {
  return `${host ?? ""}`.toLowerCase().replace(/^\[|\]$|\.$/g, "");
}

function wishing({ ALPNProtocols: protocols = [] }) {
  if (Array.isArray(protocols)) return [...protocols, wish];
  return Buffer.concat([protocols, Buffer.of(wish.length), Buffer.from(wish)]);
}
