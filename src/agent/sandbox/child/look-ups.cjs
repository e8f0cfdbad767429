"use strict";
/* Names for scripts: the agent asks, as it does for checks. Replaces what node:dns would ask the system or name servers itself. */
const dns = require("node:dns");
const net = require("node:net");
const os = require("node:os");
const { promisify } = require("node:util");

const { assign, defineProperty, getPrototypeOf } = Object;
const kinds = {
  Any: "ANY",
  Caa: "CAA",
  Cname: "CNAME",
  Mx: "MX",
  Naptr: "NAPTR",
  Ns: "NS",
  Ptr: "PTR",
  Soa: "SOA",
  Srv: "SRV",
  Txt: "TXT",
};
const refusedHere = ["setServers", "lookupService", "resolveTlsa", "setLocalAddress"];

module.exports = { replaceLookUps };

/** @param ask `ask(path, done)`: what the agent answers to a path of its proxy, or a problem with `code` and `message` */
function replaceLookUps(ask) {
  const lookup = (host, options, callback) => {
    const done = typeof options === "function" ? options : callback;
    if (typeof done !== "function")
      throw assign(new TypeError('The "callback" argument must be a function'), { code: "ERR_INVALID_ARG_TYPE" });
    const given = typeof options === "number" || typeof options === "string" ? { family: options } : typeof options === "object" && options;
    lookUp(ask, host, given || {}, done);
  };
  const lookupLater = promisify((host, options, done) =>
    lookup(host, options, (error, address, family) => done(error, Array.isArray(address) ? address : { address, family })),
  );
  defineProperty(lookup, promisify.custom, { value: (host, options) => lookupLater(host, options || {}) });
  const records = recordsBy(ask);
  const faces = [dns, dns.Resolver.prototype, dns.promises, dns.promises.Resolver.prototype];
  faces.forEach((face, index) => {
    const isPromised = index > 1;
    if ("lookup" in face) set(face, "lookup", isPromised ? (host, options) => lookupLater(host, options || {}) : lookup);
    for (const [name, act] of Object.entries(records)) set(face, name, isPromised ? promised(act) : act);
    for (const name of refusedHere) if (name in face) set(face, name, refused(name, isPromised));
  });
  const channel = new dns.Resolver()._handle; // what stands below it asks name servers by itself
  for (const name of ["setServers", "setLocalAddress"]) {
    if (channel) defineProperty(getPrototypeOf(channel), name, { value: () => -1, writable: false, configurable: false });
  }
  set(os, "networkInterfaces", () => ({})); // it would ask the kernel, by a socket that scripts have not
}

function lookUp(ask, host, options, done) {
  const family = options.family === "IPv4" ? 4 : options.family === "IPv6" ? 6 : Number(options.family || 0);
  const literal = net.isIP(host);
  const tell = (found) => {
    const sorted = options.order === "ipv6first" ? found.slice().sort((a, b) => b.family - a.family) : found;
    if (options.all) done(null, sorted);
    else done(null, sorted[0].address, sorted[0].family);
  };
  if (!host) return void process.nextTick(() => (options.all ? done(null, []) : done(null, null, family === 6 ? 6 : 4)));
  if (literal !== 0) return void process.nextTick(() => tell([{ address: host, family: literal }]));
  ask(`/lookup?host=${encodeURIComponent(host)}&family=${family}`, (problem, found) => {
    if (problem) done(told(problem, "getaddrinfo", host));
    else tell(found);
  });
}

/** By name of the function: `act(name, …, callback)`. */
function recordsBy(ask) {
  const query = (path, syscall, name, done) =>
    ask(path, (problem, found) => (problem ? done(told(problem, syscall, name)) : done(null, found)));
  const of = (type, syscall) => (name, options, callback) => {
    const ttl = typeof options === "object" && options !== null && options.ttl ? "&ttl=1" : "";
    query(
      `/records?type=${type}&name=${encodeURIComponent(name)}${ttl}`,
      syscall,
      name,
      typeof options === "function" ? options : callback,
    );
  };
  const made = { resolve4: of("A", "queryA"), resolve6: of("AAAA", "queryAaaa") };
  for (const name of Object.keys(kinds)) made[`resolve${name}`] = of(kinds[name], `query${name}`);
  made.reverse = (address, done) => query(`/reverse?address=${encodeURIComponent(address)}`, "getHostByAddr", address, done);
  made.resolve = (name, type, callback) => {
    const done = typeof type === "function" ? type : callback;
    of(encodeURIComponent(typeof type === "string" ? type : "A"), `query${typeof type === "string" ? type : "A"}`)(name, done);
  };
  return made;
}

function promised(act) {
  return (...args) => new Promise((resolve, reject) => act(...args, (error, found) => (error ? reject(error) : resolve(found))));
}

function refused(name, isPromised) {
  const error = () =>
    assign(new Error(`EACCES: dns.${name} is not permitted in scripts: the agent asks its own name servers`), { code: "EACCES" });
  return (...args) => {
    const done = args[args.length - 1];
    if (name.startsWith("set")) throw error();
    if (isPromised) return Promise.reject(error());
    if (typeof done !== "function") throw error();
    process.nextTick(() => done(error()));
  };
}

function told({ code, message }, syscall, hostname) {
  const text = code === "EPOLICY" ? `${code}: ${message}` : `${syscall} ${code} ${hostname}`;
  return assign(new Error(text), { code, syscall, hostname });
}

function set(object, name, value) {
  defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true });
}
