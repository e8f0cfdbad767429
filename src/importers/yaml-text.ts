import { LineCounter, parseAllDocuments } from "yaml";
import { AppError } from "#domain/app-error.ts";

/** An object of a file. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The documents of a file in YAML 1.2 or JSON, the empty ones left out. What is wrong is told by its line only: the text around it
 * may hold a secret.
 *
 * @throws {AppError} invalid_input
 */
export function readYaml(text: string): readonly unknown[] {
  const lines = new LineCounter();
  let documents: unknown[];
  try {
    const parsed = [...parseAllDocuments(text, { lineCounter: lines, merge: true, prettyErrors: false, logLevel: "error" })];
    const broken = parsed.flatMap(({ errors }) => errors)[0];
    if (broken) throw new AppError("invalid_input", `line ${lines.linePos(broken.pos[0]).line} is no YAML or JSON (${broken.code})`);
    documents = parsed.map((document): unknown => document.toJS({ maxAliasCount: 1000 }));
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The reader's own bounds: too many aliases, or nested too deeply for it.
    throw new AppError("invalid_input", "the file is nested too deeply or repeats itself too often to be read");
  }
  return documents.filter((document) => document !== null && document !== undefined);
}

/** The value as an object; an empty one for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Numbers and booleans as people wrote them; undefined for what is no text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Texts of a list, or of one text. */
export function textsOf(value: unknown): string[] {
  return [value].flat().flatMap((entry) => textOf(entry) ?? []);
}

/** Fields that are set, beside the known ones. */
export function otherFields(fields: Fields, known: readonly string[]): string[] {
  return Object.keys(fields).filter((name) => !known.includes(name) && fields[name] !== null && fields[name] !== undefined);
}
