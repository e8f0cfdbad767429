"use strict";
/*
 * What lies outside a script's own folders is neither there nor not there: Landlock and Node.js's permission model refuse to open it, but
 * some ways of looking for a file tell whether it exists. They answer alike here, whatever exists.
 */
const fs = require("node:fs");
const Module = require("node:module");
const { resolve, isAbsolute, sep } = require("node:path");
const { fileURLToPath } = require("node:url");
const vm = require("node:vm");

/** Kept, because scripts may replace what the globals hold. */
const { assign, defineProperty } = Object;
const { apply } = Reflect;
const { isArray } = Array;
const isView = Reflect.get(ArrayBuffer, "isView");
const slice = Reflect.get(String.prototype, "slice");
const parseUrl = Reflect.get(URL, "parse");
const decoder = new TextDecoder("latin1");
const decode = Reflect.get(decoder, "decode");

module.exports = { begins, holdPaths };

/** Everything that looks at a path before Node.js 20, which has no permission model; of later ones what their model leaves out. */
const lookers = [
  "access",
  "exists",
  "lstat",
  "open",
  "opendir",
  "readdir",
  "readFile",
  "readlink",
  "realpath",
  "stat",
  "statfs",
  "watch",
  "watchFile",
];
const leftOut = ["realpath"];

/** @param folders the only ones that there are */
function holdPaths(folders) {
  const roots = folders.map((folder) => resolve(folder));
  const isWithin = (path) => {
    const text = textOf(path);
    if (text === null) return true; // a descriptor, or what Node.js refuses by its kind
    const whole = resolve(text);
    for (let n = 0; n < roots.length; n += 1) {
      if (whole === roots[n] || begins(whole, roots[n] + sep)) return true;
    }
    return false;
  };
  holdFileSystem(isWithin, process.permission === undefined ? lookers : leftOut);
  holdModules(isWithin);
}

function textOf(path) {
  if (typeof path === "string") return path;
  if (typeof path !== "object" || path === null) return null;
  if (isView(path)) return apply(decode, decoder, [path]);
  try {
    return fileURLToPath(path);
  } catch {
    return null;
  }
}

/** An address of a file as its path, so that it cannot be another one when it is used. */
function plain(path) {
  return typeof path === "object" && path !== null && !isView(path) ? textOf(path) || path : path;
}

function begins(text, start) {
  return apply(slice, text, [0, start.length]) === start;
}

function holdFileSystem(isWithin, names) {
  for (const name of names) {
    const [later, now, promised] = [fs[name], fs[`${name}Sync`], fs.promises[name]];
    if (now) replace(fs, `${name}Sync`, heldNow(name, now, isWithin));
    if (later) replace(fs, name, begins(name, "watch") ? heldNow(name, later, isWithin) : heldLater(name, later, isWithin));
    if (promised)
      replace(fs.promises, name, (given, ...more) => {
        const path = plain(given);
        return isWithin(path) ? promised(path, ...more) : Promise.reject(unseen(name, path));
      });
    if (now && now.native) fs[`${name}Sync`].native = heldNow(name, now.native, isWithin);
    if (later && later.native) fs[name].native = heldLater(name, later.native, isWithin);
  }
}

function heldNow(name, act, isWithin) {
  return (given, ...more) => {
    const path = plain(given);
    if (isWithin(path)) return act(path, ...more);
    if (name === "exists") return false;
    throw unseen(name, path);
  };
}

function heldLater(name, act, isWithin) {
  const held = (given, ...more) => {
    const path = plain(given);
    if (isWithin(path)) return act(path, ...more);
    const done = more[more.length - 1];
    if (typeof done !== "function") throw unseen(name, path);
    process.nextTick(name === "exists" ? () => done(false) : () => done(unseen(name, path)));
  };
  const promisify = Symbol.for("nodejs.util.promisify.custom");
  if (act[promisify])
    defineProperty(held, promisify, { value: (path) => (isWithin(path) ? act[promisify](path) : Promise.resolve(false)) });
  return held;
}

/** As the permission model says it. */
function unseen(name, path) {
  const text = textOf(path);
  return assign(new Error("Access to this path is not permitted in scripts"), { code: "ERR_ACCESS_DENIED", syscall: name, path: text });
}

function holdModules(isWithin) {
  const { _findPath: findPath, _stat: stat, createRequire, registerHooks } = Module;
  replace(Module, "_findPath", (request, paths, ...more) => {
    const text = `${request}`;
    if (isAbsolute(text)) return isWithin(text) && apply(findPath, Module, [text, paths, ...more]);
    const left = [];
    for (let n = 0; isArray(paths) && n < paths.length; n += 1) {
      const path = `${paths[n]}`;
      if (isWithin(resolve(path, text))) left[left.length] = path;
    }
    return left.length > 0 && apply(findPath, Module, [request, left, ...more]);
  });
  const noSuchFile = -2;
  if (stat)
    defineProperty(Module, "_stat", { value: (path) => (isWithin(path) ? stat(path) : noSuchFile), writable: false, configurable: false });
  replace(Module, "createRequire", (from) => {
    const text = typeof from === "string" && begins(from, "file:") ? fileURLToPath(from) : plain(from);
    if (!isWithin(text)) throw unseen("createRequire", text);
    return createRequire(text);
  });
  for (const name of ["findPackageJSON", "findSourceMap"]) {
    if (name in Module) replace(Module, name, () => undefined);
  }
  defineProperty(vm, "constants", { value: {}, writable: false, configurable: false }); // one of them is a way to import from anywhere
  if (!registerHooks) return;
  registerHooks({
    resolve(specifier, context, next) {
      const isPath = specifier[0] === "." || specifier[0] === "/" || begins(specifier, "file:");
      const url = isPath ? parseUrl(specifier, context.parentURL) : null;
      if (url !== null && begins(url.href, "file:") && !isWithin(fileURLToPath(url.href))) throw notFound(specifier);
      const found = next(specifier, context);
      if (begins(found.url, "file:") && !isWithin(fileURLToPath(found.url))) throw notFound(specifier);
      return found;
    },
  });
}

function notFound(specifier) {
  return assign(new Error(`Cannot find module '${specifier}'`), { code: "ERR_MODULE_NOT_FOUND" });
}

function replace(object, name, value) {
  defineProperty(object, name, { value, writable: false, configurable: false, enumerable: true });
}
