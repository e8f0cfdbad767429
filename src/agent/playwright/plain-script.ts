const testCall = /\btest(?:\s*\.\s*\w+)*\s*\(/;
const importStatement = /^import\s(?:[^"';]*?\sfrom\s*)?["'][^"'\n]+["'];?/gm;
const waits = /^(?:[^\s/].*\b)?await\b/m;

/** Whether Playwright Test would find a test in it. */
export function hasTests(script: string): boolean {
  return testCall.test(script);
}

/**
 * A script without tests as one test, each line where it was. Who does not wait for what he starts is waited for: until his browsers are
 * closed.
 */
export function asTest(script: string, title: string): string {
  const imports: string[] = [];
  const body = script.replace(importStatement, (statement) => {
    imports.push(statement.replaceAll("\n", " "));
    return "\n".repeat(statement.split("\n").length - 1);
  });
  const end = waits.test(body) ? "" : 'await globalThis[Symbol.for("outpost.closed")]();';
  const start = `${imports.join(" ")} require("@playwright/test").test(${JSON.stringify(title)}, async () => {`;
  return `${start}${body}\n${end}});\n`;
}
