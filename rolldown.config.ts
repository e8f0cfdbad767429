import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig, type Plugin, type RolldownOptions } from "rolldown";
import { guideFiles } from "./src/control-plane/pages/guide/guide-files.ts";
import manifest from "./package.json" with { type: "json" };

/**
 * `npm run build`: each part as one folder of a few minified files that needs no node_modules. A container of it starts faster and
 * holds less memory than one with packages (bench/README.md), and has only the code that it runs.
 */
export default defineConfig([
  part("agent", { cli: "src/agent-cli.ts", ...agentWorkers() }),
  part("control-plane", { cli: "src/control-plane-cli.ts", ...controlPlaneWorkers() }),
  part("all", { cli: "src/cli.ts", ...agentWorkers(), ...controlPlaneWorkers() }),
  ...["agent", "control-plane", "all"].map(prettyLines),
  ...["control-plane", "all"].map(browserModules),
]);

/** Names of functions and classes stay, so that a stack in a report can be read. */
function part(name: string, input: Record<string, string>): RolldownOptions {
  return {
    input,
    platform: "node",
    resolve: { conditionNames: ["source", "node"] },
    external: ["pino-pretty", "pg-native"],
    plugins: [oneBytePerLetter(), belongings(name), ...(name === "control-plane" ? [] : [sandboxFiles()]), ...(name === "agent" ? [] : [traceViewer(), guide()])],
    output: {
      dir: `dist/${name}`,
      cleanDir: true,
      // Workers are started beside the module that starts them, which is in a chunk.
      entryFileNames: ({ name: entry }) => (entry === "cli" ? "cli.js" : `chunks/${entry}.js`),
      chunkFileNames: "chunks/[name]-[hash].js",
      keepNames: true,
      minify: { mangle: { keepNames: true }, compress: true, codegen: { removeWhitespace: true } },
    },
  };
}

/** Loaded by `require` on a terminal only, hence a file of its own where `require` looks. */
function prettyLines(name: string): RolldownOptions {
  return {
    input: { index: "pino-pretty" },
    platform: "node",
    output: { dir: `dist/${name}/node_modules/pino-pretty`, format: "cjs", minify: true },
  };
}

/** What pages/browser-scripts.ts reads: the modules that run in browsers, beside the chunk that serves them. */
function browserModules(name: string): RolldownOptions {
  const folder = "src/control-plane/pages/browser";
  const modules = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  return {
    input: Object.fromEntries(modules.map((file) => [file.slice(0, -3), join(folder, file)])),
    platform: "browser",
    output: { dir: `dist/${name}/chunks/browser`, chunkFileNames: "[name]-[hash].js", minify: true },
  };
}

function agentWorkers(): Record<string, string> {
  return {
    "assertion-worker": "src/agent/judgement/assertion-worker.ts",
    "scrub-worker": "src/agent/scrub/scrub-worker.ts",
    "strip-worker": "src/agent/sandbox/strip-worker.ts",
  };
}

function controlPlaneWorkers(): Record<string, string> {
  return {
    "sqlite-worker": "src/control-plane/storage/dialects/sqlite-worker.ts",
    "damage-worker": "src/control-plane/storage/dialects/damage-worker.ts",
    "probe-worker": "src/control-plane/probes/probe-worker.ts",
    "packing-worker": "src/control-plane/storage/details/packing-worker.ts",
  };
}

/** V8 keeps the source of a file that has one letter beyond Latin-1 at two bytes each, for as long as the process lives. */
function oneBytePerLetter(): Plugin {
  const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return {
    name: "one byte per letter",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk") file.code = file.code.replace(/[\u0100-\uffff]/g, escaped);
      }
    },
  };
}

/** Run as they are by other processes, the first of them by older versions of Node.js: beside the module that starts them. */
function sandboxFiles(): Plugin {
  return {
    name: "sandbox files",
    generateBundle() {
      const child = ["bootstrap.cjs", "egress.cjs", "look-ups.cjs", "paths.cjs", "script-modules.cjs", "package.json"].map((name) => `child/${name}`);
      const inside = readdirSync("src/agent/playwright/inside").map((name) => `playwright/inside/${name}`);
      for (const file of [...[...child, "keeper.cjs", "launcher.cjs"].map((name) => `sandbox/${name}`), ...inside]) {
        const fileName = `chunks/${file.slice(file.indexOf("/") + 1)}`;
        this.emitFile({ type: "asset", fileName, source: readFileSync(`src/agent/${file}`, "utf8") });
      }
    },
  };
}

/** Playwright's own, but for the page that watches tests: what trace-viewer/viewer-files.ts reads beside the chunk that serves it. */
function traceViewer(): Plugin {
  const folder = "node_modules/playwright-core/lib/vite/traceViewer";
  return {
    name: "trace viewer",
    generateBundle() {
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile() && !file.name.startsWith("uiMode"));
      for (const { parentPath, name } of files) {
        const file = join(parentPath, name);
        this.emitFile({ type: "asset", fileName: join("chunks/trace-viewer", relative(folder, file)), source: readFileSync(file) });
      }
    },
  };
}

/** What pages/guide reads: the documents, beside the chunk that serves them. */
function guide(): Plugin {
  return {
    name: "guide",
    generateBundle() {
      for (const file of guideFiles(".")) this.emitFile({ type: "asset", fileName: `chunks/guide/${file}`, source: readFileSync(file) });
    },
  };
}

/** What goes along with the code: what it is, and the licences of the packages in it. */
function belongings(name: string): Plugin {
  return {
    name: "belongings",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
      const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
      const packages = [...folders, "node_modules/pino-pretty", ...(name === "agent" ? [] : ["node_modules/uplot", "node_modules/playwright-core"])].map(packageIn).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const notices = [...new Set(packages.map(({ notice }) => notice))].join(`\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY-NOTICES.txt", source: notices });
      this.emitFile({ type: "asset", fileName: "packages.txt", source: `${packages.map(({ name }) => name).join("\n")}\n` });
      const { version, license } = manifest;
      const own = { name: `outpost-${name}`, version, license, type: "module", bin: { outpost: "cli.js" } };
      this.emitFile({ type: "asset", fileName: "package.json", source: `${JSON.stringify(own, null, 2)}\n` });
    },
  };
}

function packageIn(folder: string): { name: string; notice: string } {
  const { name = "", version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)(\.|$)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return { name, notice: `${name} ${version} (${license ?? "see below"})\n\n${texts.join("\n\n")}\n` };
}
