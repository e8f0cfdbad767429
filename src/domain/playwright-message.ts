/*
 * What Playwright's messages say, in one line. Its wording differs by version (1.28 to 1.65 were run), its parts do not: words of the script's
 * own, what was called, `Expected` and `Received` or a comparison line by line, and a log of calls. A script may throw anything that looks like it.
 */

/** What follows is a log of calls, a stack or a piece of code. */
const endOfHead = /\n *(?:Call [Ll]og:|=+ logs =+|at |>? *\d+ \|)/;
const matcherCall = /expect\((\w*)\)((?:\.\w+)+)\([^)\n]*\)/;
const longestSentence = 500;
/** Of what was expected, and of what was received: both are to be read. */
const longestValue = 150;

/** One line: what was called on what, what was expected and what received, or what was waited for. */
export function playwrightSentence(message: string): string {
  const end = message.search(endOfHead);
  const head = (end === -1 ? message : message.slice(0, end)).replace(/^(?:(?:Timeout)?Error: )+/, "");
  const log = end === -1 ? "" : message.slice(end);
  return cut(assertionSentence(head, log) ?? callSentence(head, log), longestSentence);
}

/** Null where it is no failed assertion. */
function assertionSentence(head: string, log: string): string | null {
  const call = matcherCall.exec(head);
  const seen = [...comparison(head), ...answer(log)];
  if (call === null) return isComparison(seen) ? [ownWords(head), seen.join(", ")].join(": ") : null;
  const [whole, on = "", matcher = ""] = call;
  const words = ownWords(head.slice(0, call.index));
  const failed = `expect(${locatorOf(head, log, on)})${matcher} failed`;
  if (seen.length > 0) return [...(words === "" ? [] : [words]), failed, seen.join(", ")].join(": ");
  const rest = oneLine(head.slice(call.index + whole.length).replace(/^ (?:\/\/ .*|failed)/, ""));
  return [...(words === "" ? [] : [words]), failed, ...(rest === "" ? [] : [rest])].join(": ");
}

/** Of 1.28, which leaves out what was called where the script has words of its own for it. */
function isComparison(seen: readonly string[]): boolean {
  return seen.some((part) => part.startsWith("expected ")) && seen.some((part) => part.startsWith("received "));
}

/** An action that failed; of one that waited in vain, for what. */
function callSentence(head: string, log: string): string {
  const [first = ""] = head.split("\n\n");
  const said = oneLine(first.replace(/: Error: /, ": ").replace(/(strict mode violation: [^\n]*):\n[^]*$/, "$1"));
  if (!/Timeout \d+ms exceeded\.?$/.test(said)) return said;
  const waited = /^[- ]*(waiting for (?!expect).+|navigating to "[^"\n]*")/m.exec(log)?.[1] ?? /^[- ]*→ (.+)$/m.exec(log)?.[1];
  return waited === undefined ? said : `${said.replace(/\.$/, "")}, ${cut(waited.trim(), longestValue)}`;
}

/** The paragraph before what Playwright says; `expect.poll` says it twice. */
function ownWords(before: string): string {
  const [words = ""] = before.split("\n\n");
  return cut(oneLine(words.replace(/Timed out \d+ms waiting for $/, "")), longestValue);
}

/** What the assertion was made on: a locator, else what Playwright calls it. */
function locatorOf(head: string, log: string, on: string): string {
  const told = /^Locator: *(.+)$/m.exec(head)?.[1] ?? /^[- ]*waiting for ((?:locator|getBy|frameLocator)[^\n]*)$/m.exec(log)?.[1];
  if (told === undefined || on === "page") return on;
  return told === "locator(':root')" ? "page" : cut(told.trim(), longestValue);
}

/** What was expected and what received, in so far as it says so. */
function comparison(head: string): string[] {
  const [expected, received] = [valueOf(head, "Expected"), valueOf(head, "Received")];
  const trouble = /^(?:Error: |Received: <)(.+?)[:>]?$/m.exec(head)?.[1];
  const [less, more] = expected === null && received === null ? [changed(head, "-"), changed(head, "+")] : [null, null];
  return [...named("expected", expected ?? less), ...named("received", received ?? more), ...(trouble === undefined ? [] : [trouble])];
}

const notThere = ": <element(s) not found>";

/** `Expected string: "a"`. A property that is missing has several, the last of which is its value; a length is told before its list. */
function valueOf(head: string, side: "Expected" | "Received"): string | null {
  const lines = head.split("\n").filter((line) => line.startsWith(side) && !line.endsWith(notThere));
  const values = lines.flatMap(
    (line) => /^\w+(?: (?:string|substring|pattern|value|array|length|constructor|message|path))?: *(.+)$/.exec(line)?.[1] ?? [],
  );
  const value = /^Expected length/m.test(head) ? values[0] : values.at(-1);
  return value === undefined ? null : cut(value.trim(), longestValue);
}

/** Of a comparison line by line what one side alone has, without the line that counts them. */
function changed(head: string, sign: "-" | "+"): string | null {
  if (!/^- Expected  - \d+$/m.test(head)) return null;
  const lines = head.split("\n").filter((line) => line.startsWith(`${sign} `) && !/^[-+] (?:Expected|Received)  [-+] \d+$/.test(line));
  return lines.length === 0 ? "nothing" : cut(oneLine(lines.map((line) => line.slice(2)).join(" ")).replace(/,$/, ""), longestValue);
}

/** Of `expect(response).toBeOK()`, whose log alone tells what was answered. */
function answer(log: string): string[] {
  const [sent, status] = [/^→ (.+)$/m.exec(log)?.[1], /^← (.+)$/m.exec(log)?.[1]];
  return sent === undefined || status === undefined ? [] : [cut(`${sent} answered ${status}`, longestValue)];
}

function named(side: string, value: string | null): string[] {
  return value === null ? [] : [`${side} ${value}`];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
