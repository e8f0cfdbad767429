/**
 * What a trace may do where its pages are shown. They need Playwright's own inline script to look as they did, so another one that a trace carries
 * runs as well: it asks nobody, frames nobody and sends nothing, and all pictures and styles come from the viewer's worker, which has no more than the trace.
 */
const snapshotPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src * data: blob: 'unsafe-inline'",
  "img-src * data: blob:",
  "font-src * data: blob:",
  "media-src * data: blob:",
  "frame-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Of the worker itself: it fetches traces, and nothing elsewhere. */
export const workerPolicy = "default-src 'none'; connect-src 'self' blob:";

/** Playwright's service worker, each answer of which has the policy of what a trace may do. @param source as the package has it */
export function guardedWorker(source: string): string {
  return `{
  const { respondWith } = FetchEvent.prototype;
  const held = (response) => {
    if (response.type === "default") response.headers.set("content-security-policy", ${JSON.stringify(snapshotPolicy)});
    return response;
  };
  FetchEvent.prototype.respondWith = function (answer) {
    respondWith.call(this, Promise.resolve(answer).then(held));
  };
}
${source}`;
}
