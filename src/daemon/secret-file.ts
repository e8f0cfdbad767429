import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { z } from "zod";
import { ConfigError } from "./env.ts";
import { Secret } from "./secret.ts";

/** No key or URL is longer; what is larger is another file. */
const fileLimitBytes = 64 * 1024;
const anyoneBits = 0o007;
/** Where engines mount secrets for one container alone: their modes say nothing about who else can read them. */
const mountedSecrets = /^(\/var)?\/run\/secrets\//;

/**
 * Reads a secret out of a file, without the blanks around it. A file that every user of the machine may open is refused: whoever could
 * read it has the secret.
 *
 * @throws {ConfigError} naming `variable`, the path, and what to do
 */
export function readSecretFile(variable: string, path: string): Secret {
  const read = secretIn(path);
  if ("problem" in read) throw new ConfigError(`${variable}: ${read.problem}`);
  return new Secret(read.text);
}

/** A variable that names a file with a secret; what comes out is the secret. */
export const SecretFile = z.string().transform((path, context) => {
  const read = secretIn(path);
  if ("text" in read) return read.text;
  context.addIssue({ code: "custom", message: read.problem });
  return z.NEVER;
});

type Read = { readonly text: string } | { readonly problem: string };

function secretIn(path: string): Read {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe without a writer must not keep us
    const problem = fileProblem(path, file);
    if (problem !== null) return { problem };
    const text = readFileSync(file, "utf8").trim();
    return text === "" ? { problem: `${path} is empty; write the secret into it` } : { text };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "error";
    const next = code === "ENOENT" ? "check the path, and that it is mounted" : "let the user that runs Outpost read it";
    return { problem: `${path} cannot be read (${code}); ${next}` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** @throws the system's error */
function fileProblem(path: string, file: number): string | null {
  const found = fstatSync(file);
  if (!found.isFile()) return `${path} is no file; name the file that holds the secret`;
  if (found.size > fileLimitBytes) return `${path} is too large for a secret (${found.size} bytes); name another file`;
  if ((found.mode & anyoneBits) === 0 || mountedSecrets.test(realpathSync(path))) return null;
  const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
  return `${path} is open to every user of this machine (mode ${mode}); run: chmod 600 ${path}`;
}
