/*
 * Blackens what a page shows of secrets, in a world of its own that the page's scripts do not see. Text keeps its place and its letters; only what is
 * drawn changes, in every picture, video and trace. A field shows dots. Nobody sees text that is split over several elements, or drawn on a canvas.
 */
(() => {
  const { base, prime, forms } = globalThis.outpostMasks; // of secrets their length and 24 bits, no more (record 69)
  const name = "outpost-secret";
  const lookMs = 250; // scripts fill fields, and give an element a shadow, without an event
  const shareOfTime = 0.05; // of a page's time, what looking through all of it before it is drawn may take
  const shown = new Highlight();
  const found = new WeakMap();
  const fields = new Set();
  const roots = new Set();
  let fresh = [];
  let drawing = false;
  let looked = { at: 0, tookMs: 0 };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `::highlight(${name}) { color: #000; background-color: #000; text-shadow: none; text-decoration: none; -webkit-text-fill-color: #000; -webkit-text-stroke-color: #000 }`,
  );
  CSS.highlights.set(name, shown);
  const observer = new MutationObserver((changes) => {
    for (const { type, target } of changes) if (type === "characterData") look(target);
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    added.forEach(look);
    hideFields();
    fresh.push(...added);
    beforeDrawing();
  });

  watch(document);
  addEventListener("input", hideFields, true);
  document.addEventListener("readystatechange", beforeDrawing); // scripts that wait for the whole document have run
  setInterval(() => {
    for (const root of roots) if (!root.isConnected) roots.delete(root);
    lookIntoShadows(roots);
    hideFields();
    for (const range of shown) if (!range.startContainer.isConnected) shown.delete(range);
  }, lookMs);

  /** Scripts have run by then, and nothing is drawn yet. One of them may have given a shadow to what has long been there. */
  function beforeDrawing() {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      const now = performance.now();
      const all = now - looked.at >= looked.tookMs / shareOfTime;
      lookIntoShadows(all ? roots : fresh);
      if (all) looked = { at: now, tookMs: performance.now() - now };
      fresh = [];
    });
  }

  function watch(root) {
    if (roots.has(root)) return;
    roots.add(root);
    observer.observe(root, { subtree: true, childList: true, characterData: true });
    look(root);
    hideFields();
  }

  function look(node) {
    if (node.nodeType === Node.TEXT_NODE) return mark(node);
    const each = document.createTreeWalker(node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let one = node; one !== null; one = each.nextNode()) {
      if (one.nodeType === Node.TEXT_NODE) mark(one);
      else if (one.matches?.("input:not([type=password]), textarea")) fields.add(one);
      else if (one.shadowRoot) watch(one.shadowRoot);
    }
  }

  function mark(text) {
    for (const range of found.get(text) ?? []) shown.delete(range);
    const ranges = placesIn(text.data).map(([start, end]) => rangeOf(text, start, end));
    found.set(text, ranges);
    if (ranges.length > 0) {
      style(text.getRootNode());
      const around = text.parentElement; // a shadow may lie beside the black
      if (around && getComputedStyle(around).textShadow !== "none") around.style.setProperty("text-shadow", "none", "important");
    }
    for (const range of ranges) shown.add(range);
  }

  function rangeOf(text, start, end) {
    const range = new Range();
    range.setStart(text, start);
    range.setEnd(text, end);
    return range;
  }

  /** Where it has the length and the hash of a secret, by a hash that rolls. */
  function placesIn(text) {
    const places = [];
    for (const { length, lead, hashes } of forms) {
      let hash = 0;
      for (let at = 0; at < text.length; at += 1) {
        if (at >= length) hash = (hash + prime - ((text.charCodeAt(at - length) * lead) % prime)) % prime;
        hash = (hash * base + text.charCodeAt(at)) % prime;
        if (at >= length - 1 && hashes.includes(hash)) places.push([at - length + 1, at + 1]);
      }
    }
    return places;
  }

  function lookIntoShadows(nodes) {
    for (const node of nodes) for (const one of [node, ...(node.querySelectorAll?.("*") ?? [])]) if (one.shadowRoot) watch(one.shadowRoot);
  }

  /** A page may set its own list anew. */
  function style(root) {
    if (root.adoptedStyleSheets && !root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }

  function hideFields() {
    for (const field of fields) {
      if (!field.isConnected) fields.delete(field);
      else if (placesIn(field.value).length > 0) field.style.setProperty("-webkit-text-security", "disc", "important");
      else if (field.style.getPropertyValue("-webkit-text-security") === "disc") field.style.removeProperty("-webkit-text-security");
    }
  }
})();
