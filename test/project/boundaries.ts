import { posix } from "node:path";
import { importsOf } from "./imports.ts";

/** Who may import whom inside src/, top folder by top folder. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  domain: ["contract"],
  daemon: ["contract", "domain"],
  agent: ["contract", "domain", "daemon"],
  "control-plane": ["contract", "domain", "daemon"],
  importers: ["contract", "domain"],
  "config-as-code": ["contract", "domain", "daemon", "importers"],
};

/** Files at the top of src/ start the processes, so they may import any of them. */
const isStarter = (file: string): boolean => !file.includes("/");

/** Packages and Node.js modules with an address: everybody else imports our wrapper instead. */
export const homes: readonly { readonly module: RegExp; readonly onlyIn: RegExp }[] = [
  { module: /^(kysely|pg|node:sqlite)$/, onlyIn: /^control-plane\/storage\// },
  { module: /^(fastify|@fastify\/.*)$/, onlyIn: /^control-plane\/http\// },
  {
    module: /^undici(\/|$)/,
    onlyIn: /^(agent\/control-plane-client|control-plane\/alerting\/channels\/http-client)\.ts$|\/undici-parts\.d\.ts$/,
  },
  { module: /^nodemailer$/, onlyIn: /^control-plane\/mail\/deliver-mail\.ts$/ },
  { module: /^(openid-client|oauth4webapi|jose)$/, onlyIn: /^control-plane\/console\/sign-in\/oidc-provider\.ts$/ },
  { module: /^p-queue$/, onlyIn: /^agent\/job-queue\.ts$/ },
  { module: /^tar$/, onlyIn: /^agent\/artifacts\// },
  { module: /^(pino|pino-pretty)$/, onlyIn: /^daemon\/logger\.ts$/ },
  { module: /^dotenv$/, onlyIn: /^command-line\.ts$/ },
  { module: /^(re2js|json-p3)$/, onlyIn: /^domain\/assertions\// },
  { module: /^yaml$/, onlyIn: /^(agent\/local-run\/check-file|importers\/yaml-text|config-as-code\/file)\.ts$/ },
  { module: /^node:ffi$/, onlyIn: /^agent\/(net\/libc\.ts|sandbox\/launcher\.cjs)$/ },
  { module: /^node:timers\/promises$/, onlyIn: /^$/ },
];

/** Pure packages that domain rules may stand on. */
const pure = /^(node:crypto|re2js|json-p3)$/;

/** One sentence per broken rule; `file` is relative to src/. */
export function boundaryProblems(file: string, source: string): string[] {
  const problems: string[] = [];
  const from = file.split("/")[0] ?? "";
  for (const specifier of importsOf(source)) {
    if (specifier.startsWith(".")) problems.push(...relativeProblems(file, from, specifier));
    else if (specifier.startsWith("#")) problems.push(...foreignProblems(file, from, specifier));
    else problems.push(...packageProblems(file, from, specifier));
  }
  return problems;
}

function relativeProblems(file: string, from: string, specifier: string): string[] {
  if (isStarter(file) || (file === "daemon/version.ts" && specifier === "../../package.json")) return [];
  const top = posix.join(posix.dirname(file), specifier).split("/")[0];
  return top === from ? [] : [`${file}: write "${specifier}" as "#${top}/..."`];
}

function foreignProblems(file: string, from: string, specifier: string): string[] {
  if (isStarter(file)) return [];
  const top = specifier.slice(1).split("/")[0] ?? "";
  if (top === from) return [`${file}: inside ${from}, use a relative path instead of "${specifier}"`];
  return (mayImport[from] ?? []).includes(top) ? [] : [`${file}: ${from} may not import ${top}`];
}

function packageProblems(file: string, from: string, specifier: string): string[] {
  const problems: string[] = [];
  if (from === "contract" && specifier !== "zod") problems.push(`${file}: contract may import only zod, not ${specifier}`);
  if (from === "domain" && !pure.test(specifier)) problems.push(`${file}: domain is pure and may not import ${specifier}`);
  for (const home of homes) {
    if (home.module.test(specifier) && !home.onlyIn.test(file)) problems.push(`${file}: ${specifier} is not at home here`);
  }
  return problems;
}
