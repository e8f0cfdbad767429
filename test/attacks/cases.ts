/** What is tried of multistep and browser checks: `S` is an attack, `F` a fault. Each has a test, or says why it has none. */
export interface Case {
  readonly what: string;
  /** Why no test here has it. */
  readonly without?: string;
}

export const cases = {
  S1: { what: "the 13 attacks of the self-test, the agent started as root and without any power" },
  S2: { what: "whoever took over the browser reaches the script" },
  S3: { what: "metadata addresses, in every spelling and by every way of a page" },
  S4: { what: "UDP, QUIC, WebRTC, WebTransport and DNS past the proxy" },
  S5: { what: "the proxy of another run, the agent's own port, the control plane" },
  S6: { what: "secrets in any artifact or result" },
  S7: { what: "hostile files and lines of a script" },
  S8: { what: "a verdict that the script tells itself" },
  S9: { what: "variables that steer what runs a script" },
  S10: { what: "install scripts that read, write and connect" },
  S11: { what: "paths, links and sizes of a bundle; words of a test command" },
  S12: { what: "words of a page that lead a model astray" },
  S13: { what: "a trace with script in it, in the viewer" },
  S14: { what: "two runs at once, and each other's files, home and ports" },
  F1: { what: "Chromium killed in a test" },
  F2: { what: "a worker or a runner killed" },
  F3: { what: "a page in an endless loop" },
  F4: { what: "memory without end" },
  F5: { what: "a disk that is full while a trace is written" },
  F6: { what: "64 MB of /dev/shm, a read-only root, no /tmp, no fonts, no /proc/sys" },
  F7: { what: "an agent killed with runs" },
  F8: { what: "drain during a suite of 10 minutes", without: "a suite is drained like every other job: test/e2e/drain.test.ts" },
  F9: { what: "an agent frozen for longer than its lease" },
  F10: { what: "a control plane that is away while a run is collected" },
  F11: { what: "a bundle cut, changed, or not there" },
  F12: { what: "a registry down, slow, or wrong" },
  F13: { what: "a lock file that changed under the same key" },
  F14: { what: "a clock that jumps during a run" },
  F15: { what: "many browser checks due at once on few seats" },
  F16: { what: "a waiting pair that dies" },
  F17: { what: "the way into the network taken, or gone in a run" },
  F18: { what: "certificates expired, of another host, of an unknown authority" },
  F19: { what: "a pop-up, a dialog, a download, a beforeunload that never answers" },
  F20: { what: "a version of Playwright that is unknown" },
  F21: { what: "a model's endpoint slow, cut, or wrong" },
  F22: { what: "1,000 runs in a row", without: "it takes half an hour: bench/browsers-soak.ts; figures in bench/README.md" },
} as const satisfies Readonly<Record<string, Case>>;

export type CaseName = keyof typeof cases;

/** Options of a test that tries a case: what it comes to stands in the report of `npm run test:attacks`. */
export function tries(
  point: CaseName,
  heldBy: string,
): { readonly meta: { readonly attack: { point: string; attack: string; heldBy: string } } } {
  return { meta: { attack: { point, attack: cases[point].what, heldBy } } };
}
