import { globSync, readFileSync } from "node:fs";
import { getSystemErrorMap } from "node:util";

/** What gives codes: `new ProbeError("X"`, a failure's `code: "X"`, and `["X", "a sentence"]` in tables of meanings. */
const given = [/new ProbeError\(\s*"([A-Z][A-Z0-9_]+)"/g, /\bcode: "(E[A-Z0-9_]+)", message:/g, /\["(E[A-Z0-9_]+)",\s*"[^"]* [^"]*"\]/g];
const headings = ["## Given by Outpost", "## Of the operating system", "## Of certificates"] as const;
const systemCodes = new Set([...getSystemErrorMap().values()].map(([name]) => name));
/** Results of X509_verify(3) as Node.js names them, and its own for names. */
const certificateCode =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|(INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)$)/;

/** File names to texts: what may give a check an error code. */
export function probeSources(): Record<string, string> {
  const files = globSync("src/agent/{agentic,net,runners,scripts,suites}/**/*.ts");
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, "utf8")]));
}

/** One sentence per difference between the page and the sources. */
export function errorCodeProblems(page: string, sources: Readonly<Record<string, string>>): string[] {
  const [ours = [], systems = [], certificates = []] = headings.map((heading) => codesUnder(page, heading));
  const listed = [...ours, ...systems, ...certificates];
  const everything = Object.values(sources).join("\n");
  const isGiven = (code: string): boolean => everything.includes(`"${code}"`);
  return [
    ...Object.entries(sources).flatMap(([file, text]) =>
      codesIn(text).flatMap((code) => (listed.includes(code) ? [] : [`${code} is given in ${file} and not listed`])),
    ),
    ...ours.filter((code) => !isGiven(code)).map((code) => `${code} is listed and given nowhere`),
    ...systems.filter((code) => !systemCodes.has(code)).map((code) => `${code} is no code of the operating system`),
    ...certificates.filter((code) => !certificateCode.test(code)).map((code) => `${code} is no code of certificates`),
    ...listed.filter((code, index) => listed.indexOf(code) !== index).map((code) => `${code} is listed twice`),
  ];
}

function codesIn(text: string): string[] {
  return given.flatMap((pattern) => [...text.matchAll(pattern)].map(([, code = ""]) => code));
}

/** First columns of the table below a heading, up to the next one. */
function codesUnder(page: string, heading: string): string[] {
  const section = page.split(`${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, code = ""]) => code);
}
