import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { LiveRoute, Viewer } from "../../../src/control-plane/http/live-routes.ts";
import { AppError } from "../../../src/domain/app-error.ts";
import { turnsUntil } from "../../support/turns.ts";
import { httpServer } from "./http-server.ts";

function liveRoute(): { readonly route: LiveRoute; readonly viewers: Set<Viewer>; refuse: boolean } {
  const viewers = new Set<Viewer>();
  const scene = {
    viewers,
    refuse: false,
    route: {
      path: "/live",
      open: async () => {
        if (scene.refuse) throw new AppError("unavailable", "Too many pages are open");
        return (viewer: Viewer) => {
          viewers.add(viewer);
          return () => void viewers.delete(viewer);
        };
      },
    } satisfies LiveRoute,
  };
  return scene;
}

describe("a live route", () => {
  it("sends what its viewer is told, unpacked and never kept, until the viewer goes", async () => {
    const { route, viewers } = liveRoute();
    await using site = await httpServer([], { live: [route] });
    const leaving = new AbortController();
    const response = await fetch(`${site.base}/live`, { signal: leaving.signal, headers: { "accept-encoding": "gzip" } });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    for (const viewer of viewers) viewer.send(Buffer.from("event: x\ndata: 1\n\n"));
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.includes("data: 1")) break;
    }
    expect(text).toBe("retry: 2000\n\nevent: x\ndata: 1\n\n");
    leaving.abort();
    await turnsUntil(() => viewers.size === 0);
  });

  it("lets a viewer go that does not take what it is sent, and no other", async () => {
    const { route, viewers } = liveRoute();
    let lost = 0;
    await using site = await httpServer([], { live: [route], onSlowViewer: () => (lost += 1) });
    const slow = connect(site.server.address()?.port ?? 0, "127.0.0.1");
    slow.on("error", () => undefined);
    slow.write("GET /live HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(slow, "data");
    slow.pause();
    const [slowOne] = viewers;
    const quick = await fetch(`${site.base}/live`);
    for (let kilobytes = 0; viewers.has(slowOne!); kilobytes += 64) {
      expect(kilobytes).toBeLessThan(64 * 1_024);
      slowOne?.send(Buffer.alloc(65_536, "x"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([viewers.size, lost]).toEqual([1, 1]);
    slow.destroy();
    await quick.body?.cancel();
  });

  it("tells whom it does not take in why", async () => {
    const scene = liveRoute();
    scene.refuse = true;
    await using site = await httpServer([], { live: [scene.route] });
    const response = await fetch(`${site.base}/live`);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.json()).toMatchObject({ message: "Too many pages are open" });
  });

  it("ends all of them when the server drains, and takes none in any more", async () => {
    const { route, viewers } = liveRoute();
    await using site = await httpServer([], { live: [route] });
    const response = await fetch(`${site.base}/live`);
    site.server.drain();
    expect(await response.text()).toBe("retry: 2000\n\n");
    await turnsUntil(() => viewers.size === 0);
    expect((await fetch(`${site.base}/live`)).status).toBe(503);
  });
});
