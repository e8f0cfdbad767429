"use strict";
const tls = require("node:tls");
const known = require("./job.cjs");

module.exports = { showCertificates, certificateFor };

/** Shows a client certificate to the hosts that it is stored for, as other checks do: of two that fit, the first. */
function showCertificates() {
  const { connect } = tls;
  tls.connect = (...given) => {
    const options = given.find((one) => typeof one === "object" && one !== null);
    const found = options === undefined || options.cert !== undefined || options.pfx !== undefined ? undefined : certificateFor(options);
    if (found === undefined) return connect(...given);
    const { cert, key, passphrase } = found;
    return connect(
      ...given.map((one) =>
        one === options ? { ...options, secureContext: undefined, cert, key, passphrase: passphrase ?? undefined } : one,
      ),
    );
  };
}

function certificateFor({ servername, host }) {
  const name = `${servername || host || ""}`.toLowerCase();
  return known.job?.certificates.find((one) => {
    const wanted = one.host.toLowerCase();
    return wanted.startsWith("*.") ? name.endsWith(wanted.slice(1)) : name === wanted;
  });
}
