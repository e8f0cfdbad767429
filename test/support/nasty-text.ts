import fc from "fast-check";

const signs = [
  '"',
  "'",
  "\\",
  "{",
  "}",
  "<",
  ">",
  "&",
  "|",
  "`",
  "*",
  "@",
  "%",
  "=",
  ":",
  "/",
  " ",
  "\t",
  "\r",
  "\n",
  "\0",
  "\u0085",
  "\u2028",
  "\u202e",
];
const letters = ["a", "Z", "0", "ä", "界", "😀", "\ud800", "\udc00", "{{", "}}", "<!channel>", "%0d%0a", "Bcc:"];

/** Texts of what breaks lines, headers, markup, JSON and templates. */
export const nastyText: fc.Arbitrary<string> = fc.string({ unit: fc.constantFrom(...signs, ...letters), maxLength: 40 });
