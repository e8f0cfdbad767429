"use strict";
/*
 * What scripts load in their process: snippets of the account by `./snippets/<name>.js`, packages of the runtime by name, each by
 * `require` and by `import`. Runs on the runtime's own Node.js, 16 or newer.
 */
const Module = require("node:module");
const vm = require("node:vm");

/** Kept, because scripts may replace what the globals hold. */
const { keys } = Object;
const runtimeFolder = process.argv[2];
const fromRuntime = `${runtimeFolder}/script.cjs`;
const requirePackage = Module.createRequire(fromRuntime);
const importPackage = importerOf(fromRuntime);

/** Snippets by name: those that ran as CommonJS, and those that are modules of their own. */
const loaded = new Map();
const esm = new Map();

module.exports = { createRequire, importer, linkSnippets, runModule };

/** A function whose `import()` looks for packages from the given file on. */
function importerOf(file) {
  const module = new Module(file);
  module.filename = file;
  module.paths = Module._nodeModulePaths(runtimeFolder);
  module._compile("module.exports = (specifier) => import(specifier);", file);
  return module.exports;
}

async function runModule(code, identifier, snippets) {
  const module = await linked(code, identifier, snippets);
  await module.evaluate();
  return module.namespace;
}

async function linked(code, identifier, snippets) {
  const module = new vm.SourceTextModule(code, { identifier, importModuleDynamically: importer(snippets) });
  const find = importer(snippets);
  await module.link(async (specifier) => {
    const names = await find(specifier);
    const outer = new vm.SyntheticModule(keys(names), () => keys(names).forEach((name) => outer.setExport(name, names[name])));
    return outer;
  });
  return module;
}

/** What `import` gives: a snippet, or what the runtime has. */
function importer(snippets) {
  return async (specifier) => {
    const name = snippetName(specifier, snippets);
    if (name === null) return importPackage(withoutPath(specifier));
    if (esm.has(name)) {
      if (esm.get(name).status === "linked") await esm.get(name).evaluate();
      return esm.get(name).namespace;
    }
    return namesOf(loadSnippet(name, snippets));
  };
}

/** Packages have names: by a path a script could ask what else there is. */
function withoutPath(specifier) {
  const text = `${specifier}`;
  if (text[0] !== "/" && !/^file:/i.test(text)) return text;
  throw Object.assign(new Error(`Cannot find module '${text}'. Scripts load packages by name`), { code: "ERR_MODULE_NOT_FOUND" });
}

/** The exports of CommonJS as `import` sees them. */
async function namesOf(exports) {
  const names = exports !== null && (typeof exports === "object" || typeof exports === "function") ? keys(exports) : [];
  const all = names.filter((name) => name !== "default").concat("default");
  const module = new vm.SyntheticModule(all, () =>
    all.forEach((name) => module.setExport(name, name === "default" ? exports : exports[name])),
  );
  await module.link(() => {});
  await module.evaluate();
  return module.namespace;
}

/** Snippets that are modules of their own, ready to be evaluated when one asks for them: `require` cannot wait. */
async function linkSnippets({ snippets }) {
  for (const name of keys(snippets)) {
    if (snippets[name].isModule) esm.set(name, await linked(snippets[name].code, `outpost-snippet-${name}.js`, snippets));
  }
}

function createRequire(snippets) {
  const find = (specifier) => {
    const name = snippetName(specifier, snippets);
    return name === null ? requirePackage(specifier) : loadSnippet(name, snippets);
  };
  find.resolve = requirePackage.resolve;
  find.cache = requirePackage.cache;
  return find;
}

/** `./snippets/sign.js`, `./snippets/sign`, and from a snippet to its neighbour `./sign.js`; null for packages. */
function snippetName(specifier, snippets) {
  const match = /^\.{1,2}\/(?:snippets\/)?(.+?)(?:\.[cm]?[jt]s)?$/.exec(specifier);
  if (match === null) return null;
  if (Object.prototype.hasOwnProperty.call(snippets, match[1])) return match[1];
  const error = new Error(`There is no snippet "${match[1]}". Scripts load packages by name and snippets as ./snippets/<name>.js`);
  throw Object.assign(error, { code: "MODULE_NOT_FOUND" });
}

function loadSnippet(name, snippets) {
  if (esm.has(name)) return evaluated(name);
  if (loaded.has(name)) return loaded.get(name).exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const head = "(function (exports, require, module) {";
  const options = { filename: `outpost-snippet-${name}.js`, columnOffset: -head.length, importModuleDynamically: importer(snippets) };
  const run = new vm.Script(`${head}${snippets[name].code}\n})`, options).runInThisContext();
  run.call(module.exports, module.exports, createRequire(snippets), module);
  return module.exports;
}

function evaluated(name) {
  const module = esm.get(name);
  if (module.status === "linked") module.evaluate().catch(() => {});
  if (module.status === "errored") throw module.error;
  if (module.status === "evaluating") throw new Error(`the snippet "${name}" waits at its top level: load it with import()`);
  return module.namespace;
}
