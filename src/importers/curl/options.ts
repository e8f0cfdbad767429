/** What a word of a curl command says. */
export interface CurlOption {
  /** The long name. */
  readonly name: string;
  /** Null for one that takes no value. */
  readonly value: string | null;
}

export interface CurlArguments {
  readonly options: readonly CurlOption[];
  readonly urls: readonly string[];
  /** Options that curl may know and this reader does not, without their values. */
  readonly unknown: readonly string[];
}

/** Options with a value; the letter is their short form (curl 8.15, `curl --help all`). */
const withValue: Readonly<Record<string, string>> = {
  "aws-sigv4": "",
  cacert: "",
  capath: "",
  cert: "E",
  "cert-type": "",
  ciphers: "",
  config: "K",
  "connect-timeout": "",
  "connect-to": "",
  "continue-at": "C",
  cookie: "b",
  "cookie-jar": "c",
  curves: "",
  data: "d",
  "data-ascii": "",
  "data-binary": "",
  "data-raw": "",
  "data-urlencode": "",
  "dns-servers": "",
  "doh-url": "",
  "dump-header": "D",
  "expect100-timeout": "",
  form: "F",
  "form-string": "",
  header: "H",
  interface: "",
  json: "",
  "keepalive-time": "",
  key: "",
  "key-type": "",
  "limit-rate": "",
  "local-port": "",
  "max-filesize": "",
  "max-redirs": "",
  "max-time": "m",
  "netrc-file": "",
  noproxy: "",
  "oauth2-bearer": "",
  output: "o",
  "output-dir": "",
  pass: "",
  pinnedpubkey: "",
  preproxy: "",
  proto: "",
  "proto-default": "",
  proxy: "x",
  "proxy-header": "",
  "proxy-user": "U",
  quote: "Q",
  range: "r",
  rate: "",
  referer: "e",
  request: "X",
  "request-target": "",
  resolve: "",
  retry: "",
  "retry-delay": "",
  "retry-max-time": "",
  socks5: "",
  "socks5-hostname": "",
  "speed-limit": "Y",
  "speed-time": "y",
  stderr: "",
  "tls-max": "",
  trace: "",
  "trace-ascii": "",
  "unix-socket": "",
  "upload-file": "T",
  url: "",
  "url-query": "",
  user: "u",
  "user-agent": "A",
  variable: "",
  "write-out": "w",
};

const withoutValue: Readonly<Record<string, string>> = {
  anyauth: "",
  basic: "",
  compressed: "",
  digest: "",
  fail: "f",
  "fail-early": "",
  "fail-with-body": "",
  get: "G",
  globoff: "g",
  head: "I",
  http0: "",
  "http1.0": "0",
  "http1.1": "",
  http2: "",
  "http2-prior-knowledge": "",
  http3: "",
  include: "i",
  insecure: "k",
  ipv4: "4",
  ipv6: "6",
  location: "L",
  "location-trusted": "",
  next: ":",
  negotiate: "",
  netrc: "n",
  "no-buffer": "N",
  "no-keepalive": "",
  "no-progress-meter": "",
  ntlm: "",
  parallel: "Z",
  post301: "",
  post302: "",
  "path-as-is": "",
  "progress-bar": "#",
  "remote-header-name": "J",
  "remote-name": "O",
  "retry-all-errors": "",
  "retry-connrefused": "",
  "show-error": "S",
  "show-headers": "",
  silent: "s",
  "ssl-no-revoke": "",
  "tcp-fastopen": "",
  "tcp-nodelay": "",
  tlsv1: "1",
  "tlsv1.0": "",
  "tlsv1.1": "",
  "tlsv1.2": "",
  "tlsv1.3": "",
  "trace-time": "",
  verbose: "v",
};

const longOf = new Map(
  [...Object.entries(withValue), ...Object.entries(withoutValue)].flatMap(([long, short]) =>
    short === "" ? [] : [[short, long] as const],
  ),
);

/** Reads the words after `curl`. An unknown option takes the next word with it unless that looks like an address. */
export function curlArguments(words: readonly string[]): CurlArguments {
  const options: CurlOption[] = [];
  const urls: string[] = [];
  const unknown: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word.startsWith("--") && word.length > 2) at += longOption(word.slice(2), words[at + 1], options, unknown);
    else if (word.startsWith("-") && word.length > 1) at += shortOptions(word.slice(1), words[at + 1], options, unknown);
    else urls.push(word);
  }
  return { options, urls, unknown };
}

/** @returns how many further words it took */
function longOption(name: string, next: string | undefined, options: CurlOption[], unknown: string[]): number {
  if (Object.hasOwn(withValue, name)) {
    options.push({ name, value: next ?? "" });
    return 1;
  }
  if (Object.hasOwn(withoutValue, name)) {
    options.push({ name, value: null });
    return 0;
  }
  unknown.push(`--${name.replace(/=.*$/s, "")}`);
  return name.includes("=") || next === undefined || next.startsWith("-") || /:\/\/|^localhost/.test(next) ? 0 : 1;
}

/** `-sSL`, `-XPOST`, `-X POST`. @returns how many further words it took */
function shortOptions(letters: string, next: string | undefined, options: CurlOption[], unknown: string[]): number {
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] ?? "";
    const name = longOf.get(letter);
    if (name === undefined) {
      unknown.push(`-${letter}`);
      return 0; // what follows may be its value
    }
    if (Object.hasOwn(withoutValue, name)) options.push({ name, value: null });
    else {
      const rest = letters.slice(at + 1);
      options.push({ name, value: rest === "" ? (next ?? "") : rest });
      return rest === "" ? 1 : 0;
    }
  }
  return 0;
}
