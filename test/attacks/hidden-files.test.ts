import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { reachableLevels, SandboxUnderTest } from "../agent/sandbox/sandbox-under-test.ts";
import { attack } from "./attack.ts";

const { levels, limitations } = await reachableLevels();
for (const limitation of limitations) process.stdout.write(`what scripts learn of files is not attacked at ${limitation}\n`);
const otherNode = "/usr/bin/node";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "outpost-hidden-"));
  await chmod(folder, 0o755); // anybody may look, so that it is not the system that keeps scripts out
  await writeFile(join(folder, "there"), "secret", { mode: 0o644 });
  await mkdir(join(folder, "place"), { mode: 0o755 });
  await writeFile(join(folder, "place", "package.json"), "{}", { mode: 0o644 });
});
afterAll(() => rm(folder, { recursive: true }));

/** Every way of looking that is known, at a file and a folder that are there and at ones that are not; tells which ways give them away. */
const looking = (folderPath: string): string => `
  const fs = require("node:fs"), Module = require("node:module"), path = require("node:path"), vm = require("node:vm"), url = require("node:url");
  const folder = ${JSON.stringify(folderPath)};
  const acts = {};
  const oneOf = /^(?:access|exists|stat|lstat|realpath|readlink|opendir|readdir|statfs|open|readFile|unlink|rmdir|mkdir|rm)$/;
  for (const name of Object.keys(fs)) {
    if (!oneOf.test(name)) continue;
    acts[name] = (at) => new Promise((resolve, reject) => name === "exists" ? fs.exists(at, resolve) : fs[name](at, (error, found) => error ? reject(error) : resolve(found)));
    acts[name + "Sync"] = (at) => fs[name + "Sync"](at);
    acts[name + "Sync of a URL"] = (at) => fs[name + "Sync"](url.pathToFileURL(at));
    acts[name + "Sync of bytes"] = (at) => fs[name + "Sync"](Buffer.from(at));
    if (fs.promises[name]) acts["promises." + name] = (at) => fs.promises[name](at);
    if (fs[name].native) acts[name + ".native"] = (at) => new Promise((resolve, reject) => fs[name].native(at, (error, found) => error ? reject(error) : resolve(found)));
    if (fs[name + "Sync"].native) acts[name + "Sync.native"] = (at) => fs[name + "Sync"].native(at);
  }
  Object.assign(acts, {
    "statSync without throwing": (at) => fs.statSync(at, { throwIfNoEntry: false }),
    require: (at) => require(at),
    "require.resolve": (at) => require.resolve(at),
    "require.resolve from elsewhere": (at) => require.resolve("./" + path.basename(at), { paths: [path.dirname(at)] }),
    "require.resolve as a package": (at) => require.resolve(path.basename(at), { paths: [path.dirname(at)] }),
    "createRequire": (at) => Module.createRequire(folder + "/x.js")(at),
    "createRequire below": (at) => Module.createRequire(at + "/x.js").resolve("#x"),
    _findPath: (at) => Module._findPath(at, [""]),
    _stat: (at) => Module._stat && Module._stat(at),
    _resolveFilename: (at) => Module._resolveFilename(at, null),
    findPackageJSON: (at) => Module.findPackageJSON && Module.findPackageJSON("..", at + "/x/y.js"),
    import: (at) => import(at),
    "import of an address": (at) => import("file://" + at),
    "import by the main loader": (at) => vm.runInThisContext("import(" + JSON.stringify("file://" + at) + ")", { importModuleDynamically: (vm.constants || {}).USE_MAIN_CONTEXT_DEFAULT_LOADER }),
    "process.permission": (at) => process.permission && process.permission.has("fs.read", at),
    chdir: (at) => process.chdir(at),
    loadEnvFile: (at) => process.loadEnvFile(at),
    watch: (at) => fs.watch(at).close(),
    globSync: (at) => fs.globSync && fs.globSync(at).length,
  });
  // What the script wrote itself, which a message may repeat in a path that was made shorter.
  const differing = (at) => at.slice(at.indexOf(folder) + folder.length + 1).split("/")[0];
  const seen = async (act, at) => {
    let text;
    try { const found = await act(at); text = "done " + (typeof found === "object" ? "object" : String(found)); }
    catch (error) { text = "refused " + error.code + " " + String(error.message).split("\\n")[0]; }
    return text.split(at).join("P").split(path.basename(at)).join("p").split(differing(at)).join("d");
  };
  const told = [];
  const ways = ["", "/proc/self/root", "/proc/self/cwd", "/usr/lib/../.."];
  for (const [name, act] of Object.entries(acts)) {
    for (const [there, gone] of [["there", "gone!"], ["place", "gone!"], ["place/package.json", "gone!/package.json"]]) {
      for (const way of ways) {
        const [one, other] = [await seen(act, way + folder + "/" + there), await seen(act, way + folder + "/" + gone)];
        if (one !== other) told.push(name + " " + way + " " + there + ": " + one + " | " + other);
      }
    }
  }
  request.body = JSON.stringify({ told, ways: Object.keys(acts).length });`;

// Level 3 is a variation: a script's root has no such files there.
for (const level of levels) {
  for (const node of [process.execPath, otherNode].filter((path) => existsSync(path))) {
    const which = node === otherNode ? "the Node.js of this system" : "this Node.js";
    attack("E3", `a script on ${which} at level ${level} that asks which files there are`, async (held) => {
      await using tested = await SandboxUnderTest.start({ highest: level }, node);
      if (tested.sandbox.level !== level) return held(`level ${level} is not possible there`);
      const { told, ways } = JSON.parse(await tested.said(looking(folder))) as { readonly told: readonly string[]; readonly ways: number };
      expect(told).toEqual([]);
      held("what lies outside is answered alike", `${ways} ways of looking`);
    });
  }
}

attack("E3", "a script that replaces what the look at paths is made of (a variation)", async (held) => {
  await using tested = await SandboxUnderTest.start();
  const poison = `String.prototype.slice = () => ""; String.prototype.startsWith = () => true; Array.prototype.filter = function () { return this; };
    RegExp.prototype.exec = () => null; RegExp.prototype.test = () => false; Buffer.isBuffer = () => false; URL[Symbol.hasInstance] = () => false;
    Object.defineProperty(Uint8Array, Symbol.hasInstance, { value: () => false });`;
  for (const act of [`realpathSync(at)`, `realpathSync(new URL("file://" + at))`, `realpathSync(Buffer.from(at))`]) {
    const code = `const fs = require("node:fs"); const from = ${JSON.stringify(folder)}; ${poison}
      const seen = (at) => { try { return "done " + fs.${act} } catch (error) { return String(error.code) } };
      request.body = seen(from + "/there") + " " + seen(from + "/gone!");`;
    expect(await tested.said(code)).toBe("ERR_ACCESS_DENIED ERR_ACCESS_DENIED");
  }
  held("what is needed is kept before scripts run");
});
