import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { gzipSync } from "node:zlib";
import type { PageAnswer, PageRequest, PageRoute } from "../http/page-routes.ts";
import { shellTexts } from "../texts/shell.ts";
import type { Html } from "../view/html.ts";

/**
 * What runs in browsers: the modules of `browser/`, each by its name. In a checkout they are taken as they are written, without their types; the build has
 * written them beside this module as JavaScript.
 */
const folder = new URL("./browser/", import.meta.url);

/** The packages that those modules import; the build takes them into its own. */
const packages = { uplot: "uPlot" } as const;

const scripts: ReadonlyMap<string, string> = readScripts();

/** Changes with any of them, so that browsers may keep them for good. */
const version = createHash("sha256")
  .update(JSON.stringify([...scripts]))
  .digest("hex")
  .slice(0, 16);

/** Where a page finds a module. */
export function scriptAddress(name: string): string {
  if (!scripts.has(name)) throw new Error(`There is no browser/${name}.ts`);
  return `/assets/${version}/${name}.js`;
}

/** What tells times in the reader's zone, to stand in a document whose policy names its hash; empty where there are none. */
export function timesScript(body: Html): string {
  return body.text.includes("<time ") ? (scripts.get("times") ?? "") : "";
}

export function scriptRoute(): PageRoute {
  const packed = new Map([...scripts].map(([name, code]) => [`${name}.js`, { code, gzip: gzipSync(code, { level: 9 }) }]));
  return {
    path: "/assets/{version}/{file}",
    answer: ({ params, encodings }: PageRequest): PageAnswer => {
      const found = params["version"] === version ? packed.get(params["file"] ?? "") : undefined;
      if (found === undefined) return { status: 404, type: "text/plain; charset=utf-8", body: `${shellTexts.noFile}\n` };
      const isPacked = /\bgzip\b/.test(encodings);
      const headers = { "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" };
      return {
        type: "text/javascript; charset=utf-8",
        body: isPacked ? found.gzip : found.code,
        headers: isPacked ? { ...headers, "content-encoding": "gzip" } : headers,
      };
    },
  };
}

function readScripts(): ReadonlyMap<string, string> {
  const files = readdirSync(folder).filter((file) => /\.[jt]s$/.test(file));
  const own = files.map((file): [string, string] => {
    const text = readFileSync(new URL(file, folder), "utf8");
    return [file.slice(0, -3), file.endsWith(".ts") ? asJavaScript(text) : text];
  });
  return new Map(files.some((file) => file.endsWith(".ts")) ? [...own, ...packageScripts()] : own);
}

/** Blanks in the place of types are nothing to a browser; only the names of what is imported change. */
function asJavaScript(text: string): string {
  return stripTypeScriptTypes(text).replaceAll(/(\bfrom |\bimport\(?)"(\.\/)?([\w-]+)(?:\.ts)?"/g, '$1"./$3.js"');
}

/** The smallest form of each, which sets a variable: as a module. */
function packageScripts(): [string, string][] {
  const { resolve } = createRequire(import.meta.url);
  return Object.entries(packages).map(([name, variable]) => {
    const file = resolve(name).replace(/[^/]+$/, `${variable}.iife.min.js`);
    return [name, `${readFileSync(file, "utf8")}\nexport default ${variable};\n`];
  });
}
