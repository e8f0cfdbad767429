export type Labels = Readonly<Record<string, string>>;

/** One family of metrics in the Prometheus text format, version 0.0.4; empty without samples. */
export class MetricFamily {
  readonly #lines: string[];
  readonly #name: string;

  /** @param help one line */
  constructor(kind: "gauge" | "counter", name: string, help: string) {
    this.#name = name;
    this.#lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
  }

  /** @param labels from `labelText`, so that those of many samples are written once */
  add(labels: string, value: number): void {
    this.#lines.push(`${this.#name}{${labels}} ${value}`);
  }

  /** Ends with a line break. */
  text(): string {
    return this.#lines.length === 2 ? "" : `${this.#lines.join("\n")}\n`;
  }
}

/** `name="value",…`, values escaped. */
export function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join();
}

function escaped(value: string): string {
  return value.toWellFormed().replaceAll(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
