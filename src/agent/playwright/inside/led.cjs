"use strict";
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const known = require("./job.cjs");

/*
 * A test that somebody leads: each order of the agent is a file of the run's folder, and so is what came of it (`playwright/led-tree.ts`). The leader
 * may be a model, so an order is a few fixed tools with bounds, never code.
 */

/** Between two looks for an order: a way that is known goes on at once, a model may think for a minute. */
const [firstPollMs, slower, longestPollMs] = [2, 1.1, 20];
const [actMs, openMs, longestWaitMs, settleMs, patienceMs] = [8_000, 20_000, 10_000, 100, 5_000];
/** Between two looks for what a page may still load; the last one repeats. */
const glancesMs = [20, 50, 100, 100, 250];
const longestText = 8_000;
const roles = new Set(
  "button link checkbox radio tab menuitem menuitemcheckbox menuitemradio option switch textbox searchbox combobox row cell gridcell heading img listitem treeitem".split(
    " ",
  ),
);

/** Until the order to end. @throws where the run is to count as one that failed, so that its trace and picture are kept */
module.exports = async function lead({ context, page: first, test }) {
  const state = {
    run: known.job.run,
    context,
    page: first,
    test,
    hosts: [],
    shots: 0,
    count: 0,
    isKnown: false,
    isLost: false,
    owed: null,
    seen: [],
  };
  context.on("page", (page) => (state.page = page));
  await holdHosts(state);
  for (;;) {
    state.count += 1;
    const { tool, input, isKnown } = await orderOf(path.join(state.run, `order-${state.count}.json`));
    if (tool === "end") {
      answer(state, state.count, { ok: true, text: "", url: "" });
      if (input.failed) throw new Error(`${input.failed}`);
      return;
    }
    state.isKnown = isKnown === true;
    state.isLost &&= state.isKnown;
    await told(state, state.count, () => done(state, tool, input));
  }
};

async function orderOf(file) {
  for (let pollMs = firstPollMs; ; pollMs = Math.min(longestPollMs, pollMs * slower)) {
    if (existsSync(file)) {
      const text = readFileSync(file, "utf8");
      if (text.endsWith("\n")) return JSON.parse(text);
    }
    const waitMs = pollMs;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

function answer({ run }, count, what) {
  writeFileSync(path.join(run, `answer-${count}.json`), `${JSON.stringify(what)}\n`, { flag: "wx" });
}

/** A page that leads to another host is stopped before anything is asked of it; what a redirect reaches is left at once (`told`). */
async function holdHosts(state) {
  await state.context.route(
    (url) => !isAllowed(state, url.hostname),
    (route) => {
      const asked = route.request();
      const isPage = asked.isNavigationRequest() && asked.frame().parentFrame() === null && /^https?:/.test(asked.url());
      return isPage ? route.abort("blockedbyclient") : route.continue();
    },
  );
}

/** Answers an order with what came of it; null is answered later. Who knows the way is lost once a step of it did not work: the others are not tried. */
async function told(state, count, textOf) {
  const came = await textOf().then(
    (text) => ({ ok: true, text }),
    (error) => ({ ok: false, text: `error: ${messageOf(error)}`.slice(0, 2_000) }),
  );
  if (came.text === null) return;
  const stray = strayHost(state);
  if (stray !== null) await state.page.goto("about:blank").catch(() => {});
  const why = `error: the page led to ${stray}, which is not among the hosts that this check may open`;
  const { ok, text } = stray !== null && came.ok ? { ok: false, text: why } : came;
  if (ok) state.seen.push(plain(text));
  else state.isLost = true;
  answer(state, count, { ok, text: text.slice(0, longestText), url: state.page.url().slice(0, 4_096) });
}

async function done(state, tool, input) {
  if (state.isLost) throw new Error("a step before this one did not work");
  const act = tools[tool];
  if (act === undefined) throw new Error(`there is no tool ${tool}`);
  return act(state, filledIn(input));
}

// oxlint-disable-next-line no-control-regex -- that is what colours are
const colours = /\u001b\[[\d;]*m/g;

/** Its first lines: the log of calls tells nothing that helps. */
function messageOf(error) {
  const lines = `${error?.message ?? error}`.replace(colours, "").split("\n");
  const end = lines.findIndex((line) => /^(?:=+ logs|Call log:)/.test(line));
  return lines
    .slice(0, end === -1 ? 6 : Math.min(end, 6))
    .join(" ")
    .trim();
}

function strayHost(state) {
  const url = safeUrl(state.page.url());
  return url === null || !/^https?:$/.test(url.protocol) || isAllowed(state, url.hostname) ? null : url.hostname;
}

function safeUrl(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function isAllowed({ hosts }, host) {
  const name = host.toLowerCase().replace(/\.$/, "");
  return hosts.some((one) => (one.startsWith("*.") ? name.endsWith(one.slice(1)) : name === one));
}

/** Variables by name: their values are in this process alone. */
function filledIn(value) {
  if (typeof value === "string") return value.replace(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, (whole, name) => variable(name));
  if (Array.isArray(value)) return value.map(filledIn);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledIn(one)]));
}

function variable(name) {
  const value = process.env[name];
  if (value === undefined || name.startsWith("OUTPOST_")) throw new Error(`there is no variable ${name}`);
  return value;
}

const tools = {
  /** Before all others: what may be opened. */
  begin(state, { hosts }) {
    state.hosts = hosts;
    return Promise.resolve("");
  },
  async browser_open(state, { url }) {
    const { hostname } = checkedUrl(state, url);
    await pay(state);
    const response = await state.page.goto(url, { timeout: openMs, waitUntil: "load" }).catch((error) => {
      if (/ERR_BLOCKED_BY_CLIENT/.test(error.message)) throw new Error(`${hostname} led to a host that this check may not open`);
      throw error;
    });
    await throwRefusal(response);
    return shown(state, response === null ? "" : `status ${response.status()}\n`);
  },
  browser_look: (state) => look(state),
  async browser_click(state, { role, name, nth }) {
    if (!roles.has(role)) throw new Error(`role must be one of ${[...roles].join(", ")}`);
    const ways = [state.page.getByRole(role, { name, exact: true }), state.page.getByRole(role, { name })];
    await onElement(state, { ways, any: ways[1], what: `${role} "${name}"`, nth }, (one) => one.click({ timeout: actMs }));
    await settled(state);
    return shown(state);
  },
  async browser_fill(state, { label, value, secret, nth }) {
    const text = secret === undefined ? value : variable(secret);
    if (typeof text !== "string") throw new Error("give value, or secret with the name of a variable");
    await onElement(state, field(state, label, nth), (one) => one.fill(text, { timeout: actMs }));
    return state.isKnown ? "filled" : look(state); // who knows the way reads the page after the next step
  },
  async browser_select(state, { label, option, nth }) {
    await onElement(state, field(state, label, nth), (one) => one.selectOption({ label: option }, { timeout: actMs }));
    await settled(state);
    return shown(state);
  },
  async browser_press(state, { key }) {
    if (state.isKnown) await atRest(state); // a key goes to whatever page is there
    await pay(state);
    await state.page.keyboard.press(key);
    await settled(state);
    return shown(state);
  },
  async browser_wait(state, { text, ms = 5_000 }) {
    const timeout = Math.min(Math.max(0, ms), longestWaitMs);
    await state.page.getByText(text).first().waitFor({ timeout });
    await pay(state);
    return look(state);
  },
  /** The end of a known way: the page, once it shows all that was not seen on the way, or as it is after some patience. */
  async expect(state, { quotes }) {
    const endMs = performance.now() + patienceMs;
    for (let turn = 0; ; turn += 1) {
      const text = await look(state).catch(() => null); // it is on its way to another page
      const seen = text === null ? state.seen : [...state.seen, plain(text.slice(0, longestText))];
      const isOver = strayHost(state) !== null || performance.now() >= endMs;
      if (isOver || (text !== null && quotes.every((quote) => seen.some((one) => one.includes(plain(quote)))))) {
        await pay(state, text);
        return text ?? "";
      }
      await new Promise((resolve) => setTimeout(resolve, glancesMs[turn] ?? glancesMs.at(-1)));
    }
  },
  async browser_screenshot(state) {
    state.shots += 1;
    const file = state.test.info().outputPath(`shot-${state.shots}.png`);
    if (state.shots <= 10) {
      await state.page.screenshot({ path: file });
      await state.test.info().attach(`screenshot-${state.shots}`, { path: file, contentType: "image/png" });
    }
    return state.shots <= 10 ? `picture ${state.shots} is kept` : "ten pictures are kept already";
  },
  async http_request(state, { method = "GET", url, headers = {}, body }) {
    checkedUrl(state, url);
    if (state.owed !== null) await atRest(state);
    await pay(state);
    const data = body === undefined || /^(?:GET|HEAD)$/i.test(method) ? {} : { data: body };
    const response = await state.context.request.fetch(url, { method, headers, maxRedirects: 0, timeout: openMs, ...data });
    await throwRefusal(response);
    const told = ["content-type", "location"].flatMap((name) => {
      const value = response.headers()[name];
      return value === undefined ? [] : [`${name}: ${value}`];
    });
    const text = await response.text().catch(() => "");
    return [`status ${response.status()}`, ...told, "", text.slice(0, longestText)].join("\n");
  },
};

/** What the run's own proxy says in the place of a target: that there is none. */
async function throwRefusal(response) {
  const code = response?.headers()["x-outpost-error"];
  if (code === undefined) return;
  const { message = "" } = await response.json().catch(() => ({}));
  throw new Error(`${code} ${message}`);
}

function checkedUrl(state, url) {
  const parsed = safeUrl(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new Error("url must be an http or https URL");
  if (!isAllowed(state, parsed.hostname))
    throw new Error(`${parsed.hostname} is not among the hosts that this check may open: ${state.hosts.join(", ") || "none"}`);
  return parsed;
}

/**
 * Does something to an element. Who knows the way takes the one that there is, in one call as a script does; where several fit, or the way is not known,
 * the exact name comes first.
 */
async function onElement(state, wanted, act) {
  const { any, what, nth } = wanted;
  if (state.isKnown && nth === undefined) {
    if (state.owed !== null) await appeared(state, any);
    await pay(state);
    try {
      return await act(any);
    } catch (error) {
      if (!/strict mode violation/.test(error.message)) throw (await quietly(state, () => any.count())) === 0 ? noSuch(what) : error;
    }
  }
  await appeared(state, any);
  await pay(state);
  return act(await quietly(state, () => only(wanted)));
}

/** Whoever waits in vain is told what is missing by the next call. */
function appeared(state, any) {
  return quietly(state, () => any.first().waitFor({ state: "visible", timeout: actMs })).catch(() => {});
}

function field({ page }, label, nth) {
  const ways = [page.getByLabel(label, { exact: true }), page.getByLabel(label), page.getByPlaceholder(label)];
  return { ways, any: ways[1].or(ways[2]), what: `field "${label}"`, nth };
}

/** The exact name where it is there, else what has it in its name. */
async function only({ ways, what, nth }) {
  for (const one of ways) {
    const count = await one.count();
    if (count > 1 && nth === undefined) throw new Error(`${count} elements are a ${what}: give nth, from 0 on`);
    if (count > 0) return count === 1 ? one.first() : one.nth(nth);
  }
  throw noSuch(what);
}

function noSuch(what) {
  return new Error(`no ${what} is on the page`);
}

/** After something that may have led to another page. The next step of a way that is known waits for its element by itself. */
async function settled(state) {
  if (!state.isKnown) await atRest(state);
}

async function atRest({ page }) {
  await new Promise((resolve) => setTimeout(resolve, settleMs)); // what a click starts, begins with a moment's delay
  await page.waitForLoadState("load", { timeout: openMs }).catch(() => {});
}

/** What a step led to. On a known way it is read once the next step has its element: by then the page is there, and is read once. */
async function shown(state, before = "") {
  if (!state.isKnown) return `${before}${await look(state)}`;
  state.owed = { count: state.count, before };
  return null;
}

/** Gives the answer that is owed. @throws where it shows that the way is lost: the next step must not be done to whatever page is there */
async function pay(state, text = null) {
  const { owed } = state;
  if (owed === null) return;
  state.owed = null;
  await told(state, owed.count, async () => `${owed.before}${text ?? (await look(state))}`);
  if (state.isLost) throw new Error("the step before this one did not work");
}

/** The page as people with a screen reader have it. */
function look(state) {
  const { page } = state;
  return quietly(state, async () => {
    const body = page.locator("body");
    const read = body.ariaSnapshot === undefined ? "innerText" : "ariaSnapshot";
    const [text, title] = await Promise.all([body[read]({ timeout: actMs }), page.title()]);
    return `${page.url()}\n${title}\n${text}`;
  });
}

/** No step of the trace: it is nothing that a visitor does, and a trace of each look costs more than the look. */
function quietly({ context }, call) {
  return context._wrapApiCall === undefined ? call() : context._wrapApiCall(call, { internal: true });
}

/** Whitespace aside, as quotations are compared. */
function plain(text) {
  return text.replace(/\s+/g, " ").trim();
}
