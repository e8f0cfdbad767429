"use strict";
const Module = require("node:module");

/** Playwright's own files, but those that are one large bundle, and those that hold the text of other programs. */
const ofPlaywright = /\/node_modules\/(?:playwright|playwright-core|@playwright\/test)\/lib\/(?!generated\/)(?!.*Impl\b)/;
/** As its compiler writes them, each at the beginning of a line: what a file needs of others, and what it takes out of a bundle. */
const needed = /^(?:var|const) (import_\w+|bundle) = ((?:__toESM\()?require\("[^"]+"\)(?:, 1)?\)?);$/gm;
const taken = /^const (\w+) = (require\("\.\/\w+Impl(?:\/\w+)?"\)\.\w+|bundle\.\w+);$/gm;
/** From here on a file only names what it exports, for tools that read it. */
const last = "\n0 && (module.exports = {";
/** Each test of a script is held against schemas, whose library is a tenth of what is loaded; most have no details that could be wrong. */
const schemas = /^const (\w+Schema) = (import_mcpBundle\.z\.\w+\([^]*?^\}\));$/gm;
const heldAgainst = "\nfunction validateTestDetails(details, location) {";
const withoutDetails =
  "if (details?.constructor === Object && Object.keys(details).length === 0) return { annotations: [], tags: [], location };";

module.exports = { loadLater, withLaterLoads };

/**
 * Runner and worker load all of Playwright's command line, of which a test uses a third: the rest is a quarter of a run's processor time (record 71).
 * What a file needs is loaded when it is first used. Versions whose files look otherwise stay as they are.
 */
function loadLater() {
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (text, file, ...more) {
    return compile.call(this, ofPlaywright.test(file) ? withLaterLoads(text) : text, file, ...more);
  };
}

/** The same lines, in which each name for another file stands for a property that loads it. */
function withLaterLoads(text) {
  const names = new Set();
  const later = (_, name, value) => {
    names.add(name);
    return `$later(${JSON.stringify(name)}, () => ${value});`;
  };
  const end = text.indexOf(last);
  const named = end === -1 ? text : text.slice(0, end);
  const changed = withLaterSchemas(named, later).replace(needed, later).replace(taken, later);
  if (names.size === 0) return text;
  const used = changed.replace(usesOf(names), (name, at) => (names.has(name) && isUse(changed, name, at) ? `$later.${name}` : name));
  return helper + used + text.slice(named.length);
}

function withLaterSchemas(text, later) {
  return text.includes(heldAgainst) ? text.replace(schemas, later).replace(heldAgainst, `$& ${withoutDetails}`) : text;
}

/** Nearly all begin alike, which is found ten times as fast. */
function usesOf(names) {
  const others = [...names].filter((name) => !name.startsWith("import_"));
  return others.length === 0 ? /import_\w+/g : new RegExp(`\\b(?:import_\\w+|${others.join("|")})\\b`, "g");
}

/** Neither part of another name, nor in quotes, nor the name of a property; three points spread what follows. */
function isUse(text, name, at) {
  return (!/[.\w$"']/.test(text[at - 1]) || text.slice(at - 3, at) === "...") && text[at + name.length] !== ":";
}

/** On the first line, so that errors have their lines. */
const helper = [
  `"use strict";const $later = (name, load) => Object.defineProperty($later, name, { configurable: true, get() {`,
  `const value = load(); Object.defineProperty($later, name, { value }); return value; } });`,
].join(" ");
