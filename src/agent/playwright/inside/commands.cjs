"use strict";
/* What a `webServer` of a configuration starts, without the shell that Playwright would ask: there is none. */
const { existsSync, readFileSync, realpathSync } = require("node:fs");
const path = require("node:path");

module.exports = { programsOf };

/** Blanks, a part in quotes of either kind, one character behind a backslash, or what means nothing to a shell. */
const piece = /([ \t]+)|'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\(.)|([^\s'"\\|&;<>()`${}*?[\]]+)/gy;
const runners = ["npx", "bunx"];
const managers = ["npm", "pnpm", "yarn"];
const deepest = 5;

/** Programs of Node.js, one after another: each with its file, words and variables. @throws {Error} that says what cannot be done */
function programsOf(command, folder, depth = 0) {
  if (depth > deepest) throw new Error(`${command} starts scripts of package.json that start each other`);
  return command.split("&&").flatMap((part) => programsOfOne(part.trim(), folder, depth));
}

function programsOfOne(command, folder, depth) {
  const words = wordsOf(command);
  if (words === null) throw new Error(`no shell reads it: ${command} may have programs, their words, variables before them and &&`);
  const env = {};
  while (/^[A-Za-z_]\w*=/.test(words[0] ?? "")) {
    const [name, ...value] = words.shift().split("=");
    env[name] = value.join("=");
  }
  const [program, ...rest] = words;
  if (program === undefined) throw new Error("the command is empty");
  return found(program, rest, folder, depth).map((one) => ({ ...one, env: { ...env, ...one.env } }));
}

function found(program, words, folder, depth) {
  if (program === "node") return [{ words, env: {} }];
  if (runners.includes(program)) return [binary(withoutFlags(words), folder)];
  if (!managers.includes(program)) return [binary([program, ...words], folder)];
  const [what, ...rest] = words;
  if (what === undefined || what.startsWith("-"))
    throw new Error(`${[program, ...words].join(" ")}: options of ${program} are not known here; name the script`);
  if (what === "exec" || what === "dlx") return [binary(withoutFlags(rest), folder)];
  if (what === "run" || what === "run-script") return script(rest, folder, depth, program);
  return byName(program, words, folder, depth);
}

/** `npm start`, `yarn dev`, `pnpm vite`. */
function byName(program, words, folder, depth) {
  const [name] = words;
  const { scripts } = manifestAbove(folder);
  if (program === "npm" && !["start", "test"].includes(name))
    throw new Error(`npm ${name} is not known here; use npm run, npm start or npm exec`);
  return program === "npm" || Object.hasOwn(scripts, name) ? script(words, folder, depth, program) : [binary(words, folder)];
}

function withoutFlags(words) {
  const from = words.findIndex((word) => word !== "--" && word !== "--no-install" && word !== "--yes" && word !== "-y");
  return from === -1 ? [] : words.slice(from);
}

function script([name, ...words], folder, depth, program) {
  const { scripts, at } = manifestAbove(folder);
  if (name === undefined || !Object.hasOwn(scripts, name)) throw new Error(`package.json has no script ${JSON.stringify(name ?? "")}`);
  const more = (words[0] === "--" ? words.slice(1) : words).map((word) => ` '${word.replaceAll("'", "'\\''")}'`).join("");
  const before = program !== "pnpm" && Object.hasOwn(scripts, `pre${name}`) ? programsOf(`${scripts[`pre${name}`]}`, at, depth + 1) : [];
  return [...before, ...programsOf(`${scripts[name]}${more}`, at, depth + 1).map((one) => ({ folder: at, ...one }))];
}

function manifestAbove(folder) {
  for (let at = folder; ; at = path.dirname(at)) {
    const file = path.join(at, "package.json");
    if (existsSync(file)) return { scripts: JSON.parse(readFileSync(file, "utf8")).scripts ?? {}, at };
    if (at === path.dirname(at)) throw new Error("there is no package.json");
  }
}

/** A program that a package brings: a file of Node.js, or a few lines for a shell that start one. */
function binary([name, ...words], folder) {
  if (name === undefined || name.includes("/")) {
    if (name !== undefined && /\.[cm]?[jt]s$/.test(name)) return { words: [name, ...words], env: {} };
    throw new Error(`${name ?? "nothing"} is no program of the project's packages: agents have Node.js and no other program`);
  }
  for (let at = folder; ; at = path.dirname(at)) {
    const file = path.join(at, "node_modules/.bin", name);
    if (existsSync(file)) return { words: [programIn(file, name), ...words], env: {} };
    if (at === path.dirname(at))
      throw new Error(`there is no ${name} in the project's packages, and agents have no other program than Node.js`);
  }
}

function programIn(file, name) {
  const real = realpathSync(file);
  const beginning = readFileSync(real, "latin1").slice(0, 4_096);
  if (/^#!.*\bnode\b/.test(beginning) || /\.[cm]?js$/.test(real)) return real;
  const [, inner] = /"\$basedir\/([^"]+\.[cm]?js)"/.exec(beginning) ?? []; // as pnpm writes them
  if (inner !== undefined) return realpathSync(path.join(path.dirname(file), inner));
  throw new Error(`${name} is no program of Node.js, and agents start no other`);
}

/** As a POSIX shell would split them; null where it would do more than that. */
function wordsOf(text) {
  const pieces = [...text.matchAll(piece)];
  if (pieces.map(([whole]) => whole).join("") !== text) return null;
  const words = [];
  let isOpen = false;
  for (const [, blanks, single, double, escaped, plain] of pieces) {
    if (blanks !== undefined) {
      isOpen = false;
      continue;
    }
    const part = [single, double?.replaceAll(/\\(["\\$`])/g, "$1"), escaped, plain].join("");
    words.push((isOpen ? words.pop() : "") + part);
    isOpen = true;
  }
  return words;
}
