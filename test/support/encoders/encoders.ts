/** How a program writes a text, as its own documentation or source says. */
export interface Encoder {
  readonly name: string;
  readonly encode: (text: string) => string;
  /** Source of a program that writes each line of its input (a JSON text) so, a line each; where the machine has the language. */
  readonly program?: { readonly language: "python3" | "go" | "java"; readonly expression: string };
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");
const HEX = (code: number, digits: number): string => hex(code, digits).toUpperCase();
const unit = (digits: typeof hex) => (each: string) => `\\u${digits(each.charCodeAt(0), 4)}`;
const inner = (text: string): string => JSON.stringify(text).slice(1, -1);
const bytesBut = (kept: RegExp, digits: typeof hex, space = "%20"): Encoder["encode"] => {
  return (text) =>
    Array.from(Buffer.from(text), (byte) => {
      const character = String.fromCharCode(byte);
      if (character === " ") return space;
      return byte < 0x80 && kept.test(character) ? character : `%${digits(byte, 2)}`;
    }).join("");
};
const named = (names: Readonly<Record<string, string>>): Encoder["encode"] => {
  return (text) => Array.from(text, (each) => names[each] ?? each).join("");
};
const goHtml = named({ "&": "&amp;", "'": "&#39;", "<": "&lt;", ">": "&gt;", '"': "&#34;" });
const goJson: Encoder["encode"] = (text) => inner(text).replace(/[<>&\u2028\u2029]/g, unit(hex));
const rfc3986 = /[A-Za-z0-9\-._~]/;
const dotnetJson: Encoder["encode"] = (text) =>
  text.replace(/[^]/g, (each) => {
    const short: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" };
    return short[each] ?? (/[\x20-\x7e]/.test(each) && !/["&'+<>`]/.test(each) ? each : unit(HEX)(each));
  });
const pythonText: Encoder["encode"] = (text) => inner(text).replace(/[\x7f-\uffff]/g, unit(hex));
const phpHtml = named({ "&": "&amp;", '"': "&quot;", "'": "&#039;", "<": "&lt;", ">": "&gt;" });

/** What servers in eight languages write, each rule by itself. */
export const encoders: readonly Encoder[] = [
  { name: "Go encoding/json", encode: goJson, program: { language: "go", expression: "jsonOf(text)" } },
  { name: "Go html/template, html.EscapeString", encode: goHtml, program: { language: "go", expression: "html.EscapeString(text)" } },
  {
    name: "Go url.QueryEscape",
    encode: bytesBut(rfc3986, HEX, "+"),
    program: { language: "go", expression: "url.QueryEscape(text)" },
  },
  {
    name: "Go url.PathEscape",
    encode: bytesBut(/[A-Za-z0-9\-._~$&+:=@]/, HEX),
    program: { language: "go", expression: "url.PathEscape(text)" },
  },
  { name: "Rails to_json", encode: (text) => inner(text).replace(/[<>&\u2028\u2029]/g, unit(hex)) },
  {
    name: "Ruby JSON.generate script_safe",
    encode: (text) =>
      inner(text)
        .replaceAll("/", "\\/")
        .replace(/[\u2028\u2029]/g, unit(hex)),
  },
  { name: "Ruby CGI.escapeHTML", encode: named({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }) },
  { name: "Ruby CGI.escape", encode: bytesBut(/[A-Za-z0-9\-._~*]/, HEX, "+") },
  { name: ".NET System.Text.Json", encode: dotnetJson },
  {
    name: ".NET HtmlEncoder",
    encode: (text) =>
      Array.from(text, (each) => {
        const short: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
        const isKept = /[\x20-\x7e]/.test(each) && !/['+`]/.test(each);
        return short[each] ?? (isKept ? each : `&#x${(each.codePointAt(0) as number).toString(16).toUpperCase()};`);
      }).join(""),
  },
  {
    name: ".NET WebUtility.HtmlEncode",
    encode: (text) => withLatin1AsNumbers(named({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })(text)),
  },
  { name: ".NET UrlEncoder", encode: bytesBut(/[A-Za-z0-9\-._~]/, HEX) },
  { name: ".NET WebUtility.UrlEncode", encode: bytesBut(/[A-Za-z0-9\-_.!*()]/, HEX, "+") },
  { name: ".NET HttpUtility.UrlEncode", encode: bytesBut(/[A-Za-z0-9\-_.!*()]/, hex, "+") },
  { name: ".NET BitConverter.ToString", encode: (text) => Array.from(Buffer.from(text), (byte) => HEX(byte, 2)).join("-") },
  {
    name: "PHP json_encode",
    encode: (text) =>
      pythonText(text)
        .replaceAll("/", "\\/")
        .replace(/\\u007f/g, "\x7f"),
  },
  {
    name: "PHP json_encode JSON_HEX_*",
    encode: (text) =>
      pythonText(text.replace(/["]/g, "\u0001"))
        .replaceAll("\\u0001", "\\u0022")
        .replaceAll("/", "\\/")
        .replace(/[<>&']/g, unit(HEX)),
  },
  { name: "PHP htmlspecialchars", encode: phpHtml },
  { name: "PHP htmlentities", encode: (text) => Array.from(phpHtml(text), (each) => latin1Names[each] ?? each).join("") },
  { name: "PHP rawurlencode", encode: bytesBut(rfc3986, HEX) },
  { name: "PHP urlencode", encode: bytesBut(/[A-Za-z0-9\-._]/, HEX, "+") },
  { name: "PHP addslashes", encode: (text) => text.replace(/[\\'"]/g, "\\$&") },
  { name: "Python json.dumps", encode: pythonText, program: { language: "python3", expression: "json.dumps(text)[1:-1]" } },
  {
    name: "Python html.escape",
    encode: named({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" }),
    program: { language: "python3", expression: "html.escape(text)" },
  },
  {
    name: "Python quote",
    encode: bytesBut(/[A-Za-z0-9\-._~/]/, HEX),
    program: { language: "python3", expression: "urllib.parse.quote(text)" },
  },
  {
    name: "Python quote_plus",
    encode: bytesBut(rfc3986, HEX, "+"),
    program: { language: "python3", expression: "urllib.parse.quote_plus(text)" },
  },
  {
    name: "Python repr of bytes",
    encode: (text) => {
      const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
      return Array.from(Buffer.from(text), (byte) => {
        const character = String.fromCharCode(byte);
        if (character === "\\" || character === quote) return `\\${character}`;
        return byte >= 0x20 && byte < 0x7f ? character : ({ 9: "\\t", 10: "\\n", 13: "\\r" }[byte] ?? `\\x${hex(byte, 2)}`);
      }).join("");
    },
    program: { language: "python3", expression: "repr(text.encode())[2:-1]" },
  },
  {
    name: "Python ascii",
    encode: (text) => {
      const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
      return Array.from(text, (each) => {
        const code = each.codePointAt(0) as number;
        if (each === "\\" || each === quote) return `\\${each}`;
        if (code >= 0x20 && code < 0x7f) return each;
        return (
          { 9: "\\t", 10: "\\n", 13: "\\r" }[code] ??
          (code < 0x100 ? `\\x${hex(code, 2)}` : code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`)
        );
      }).join("");
    },
    program: { language: "python3", expression: "ascii(text)[1:-1]" },
  },
  {
    name: "Python list of bytes",
    encode: (text) => `[${Array.from(Buffer.from(text)).join(", ")}]`,
    program: { language: "python3", expression: "str(list(text.encode()))" },
  },
  { name: "Java Gson", encode: (text) => inner(text).replace(/[<>&='\u2028\u2029]/g, unit(hex)) },
  { name: "Java Jackson", encode: (text) => inner(text).replace(/\\u00../g, (each) => each.toUpperCase().replace("U", "u")) },
  {
    name: "Java URLEncoder",
    encode: bytesBut(/[A-Za-z0-9\-_.*]/, HEX, "+"),
    program: { language: "java", expression: 'java.net.URLEncoder.encode(text, "UTF-8")' },
  },
  {
    name: "Java Arrays.toString of bytes",
    encode: (text) => `[${Array.from(new Int8Array(Buffer.from(text))).join(", ")}]`,
    program: { language: "java", expression: 'java.util.Arrays.toString(text.getBytes("UTF-8"))' },
  },
  { name: "Java Spring HtmlUtils", encode: named({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }) },
  { name: "JavaScript JSON.stringify", encode: inner },
  { name: "JavaScript serialize-javascript", encode: (text) => inner(text).replace(/[<>/\u2028\u2029]/g, unit(HEX)) },
  { name: "JavaScript encodeURIComponent", encode: encodeURIComponent },
  { name: "JavaScript URLSearchParams", encode: (text) => new URLSearchParams({ a: text }).toString() },
  {
    name: "JavaScript escape",
    encode: (text) =>
      Array.from({ length: text.length }, (_, at) => text[at] as string)
        .map(legacyEscaped)
        .join(""),
  },
  {
    name: "JavaScript he, all as numbers",
    encode: (text) => Array.from(text, (each) => `&#x${HEX(each.codePointAt(0) as number, 1)};`).join(""),
  },
  {
    name: "Handlebars",
    encode: named({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;", "`": "&#x60;", "=": "&#x3D;" }),
  },
  { name: "HTML 5 names", encode: (text) => Array.from(text, (each) => html5Names[each] ?? each).join("") },
  { name: "Rust serde_json", encode: inner },
  {
    name: "Rust {:?}",
    encode: (text) =>
      text
        .replace(/["\\]/g, "\\$&")
        .replace(/\p{Cc}/gu, (each) => ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" })[each] ?? `\\u{${hex(each.charCodeAt(0), 1)}}`),
  },
  {
    name: "Go %v of bytes",
    encode: (text) => `[${Array.from(Buffer.from(text)).join(" ")}]`,
    program: { language: "go", expression: "fmt.Sprint([]byte(text))" },
  },
  {
    name: "Go % x of bytes",
    encode: (text) => Array.from(Buffer.from(text), (byte) => hex(byte, 2)).join(" "),
    program: { language: "go", expression: 'fmt.Sprintf("% x", text)' },
  },
];

function withLatin1AsNumbers(text: string): string {
  return text.replace(/[\xa0-\xff]/g, (each) => `&#${each.charCodeAt(0)};`);
}

function legacyEscaped(each: string): string {
  const code = each.charCodeAt(0);
  if (/[A-Za-z0-9@*_+\-./]/.test(each)) return each;
  return code < 0x100 ? `%${HEX(code, 2)}` : `%u${HEX(code, 4)}`;
}

const latin1Names: Readonly<Record<string, string>> = {
  ä: "&auml;",
  ö: "&ouml;",
  ü: "&uuml;",
  ß: "&szlig;",
  é: "&eacute;",
  "€": "&euro;",
  "—": "&mdash;",
};
const html5Names: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "& amp < lt > gt \" quot ' apos ! excl # num $ dollar % percnt ( lpar ) rpar * ast + plus , comma . period / sol : colon ; semi = equals ? quest " +
    "@ commat [ lsqb \\ bsol ] rsqb ^ Hat _ lowbar ` grave { lcub | verbar } rcub ä auml ö ouml ü uuml ß szlig é eacute € euro — mdash"
  )
    .split(" ")
    .reduce<string[][]>(
      (pairs, word, at) => (at % 2 === 0 ? [...pairs, [word]] : [...pairs.slice(0, -1), [...(pairs.at(-1) ?? []), `&${word};`]]),
      [],
    ),
) as Record<string, string>;
