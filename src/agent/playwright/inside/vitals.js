// FCP, LCP, CLS, TBT and TTFB as the browser sees them (web.dev/vitals); told whenever one changes, and when the page is left.
(() => {
  if (window !== window.top || !window.__outpostVitals) return;
  const seen = { FCP: null, LCP: null, CLS: 0, TBT: 0, TTFB: null };
  let timer;
  const tell = () => {
    clearTimeout(timer);
    timer = undefined;
    window.__outpostVitals(JSON.stringify(seen)).catch(() => {});
  };
  const soon = () => {
    timer ??= setTimeout(tell, 100);
  };
  const watch = (type, on) => {
    try {
      new PerformanceObserver((list) => {
        list.getEntries().forEach(on);
        soon();
      }).observe({ type, buffered: true });
    } catch {} // this browser does not know it
  };
  let [windowValue, windowStart, windowLast] = [0, 0, 0]; // of layout shifts: 5 s long, 1 s apart
  watch("navigation", (entry) => (seen.TTFB = entry.responseStart));
  watch("paint", (entry) => entry.name === "first-contentful-paint" && (seen.FCP = entry.startTime));
  watch("largest-contentful-paint", (entry) => (seen.LCP = entry.startTime));
  watch("layout-shift", (entry) => {
    if (entry.hadRecentInput) return;
    if (entry.startTime - windowLast > 1000 || entry.startTime - windowStart > 5000) [windowValue, windowStart] = [0, entry.startTime];
    windowLast = entry.startTime;
    windowValue += entry.value;
    seen.CLS = Math.max(seen.CLS, windowValue);
  });
  watch("longtask", (entry) => {
    if (seen.FCP === null || entry.startTime >= seen.FCP) seen.TBT += Math.max(0, entry.duration - 50);
  });
  addEventListener("visibilitychange", tell);
  addEventListener("pagehide", tell);
})();
