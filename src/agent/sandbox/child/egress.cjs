"use strict";
/*
 * The agent's rules of where traffic may go, held where Node.js opens TCP connections: below `net`, `http`, `fetch` and every package.
 * The addresses are those that are connected to, after any look-up.
 */
const net = require("node:net");

/** Kept, because scripts may replace what the globals hold. */
const { defineProperty, getPrototypeOf } = Object;
const { apply } = Reflect;
const split = Reflect.get(String.prototype, "split");
const refused = -13; // EACCES
const probe = net._createServerHandle("127.0.0.1", 0, 4);
const connections = typeof probe === "number" ? null : getPrototypeOf(probe);
if (connections !== null) probe.close();

module.exports = { holdTo };

/** `allow` beats `deny`; both are networks in CIDR form. */
function holdTo({ allow, deny }) {
  if (connections === null) throw new Error("the rules of where scripts may connect to cannot be held");
  const [allowed, denied] = [blockList(allow), blockList(deny)];
  for (const [name, family] of [
    ["connect", "ipv4"],
    ["connect6", "ipv6"],
  ]) {
    const connect = connections[name];
    const value = function (request, address, port) {
      const text = `${address}`;
      const plain = apply(split, text, ["%"])[0];
      return denied(plain, family) && !allowed(plain, family) ? refused : apply(connect, this, [request, text, port]);
    };
    defineProperty(connections, name, { value, writable: false, configurable: false });
  }
}

function blockList(networks) {
  const list = new net.BlockList();
  for (const network of networks) {
    const [address, bits] = network.split("/");
    const family = address.includes(":") ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list.check.bind(list);
}
