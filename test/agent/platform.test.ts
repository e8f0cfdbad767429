import { describe, expect, it } from "vitest";
import { isContainer } from "../../src/agent/host/platform.ts";

const ext4 = "/dev/vda1 / ext4 rw,relatime 0 0\nproc /proc proc rw 0 0\noverlay /var/lib/docker/overlay2/1/merged overlay rw 0 0\n";
const layered = "overlay / overlay rw,relatime,lowerdir=/a:/b 0 0\nproc /proc proc rw 0 0\n";

describe("what an agent runs on", () => {
  it.each<[title: string, files: Record<string, string>, expected: boolean]>([
    [
      "a machine, also one with containers on it",
      { "/proc/self/cgroup": "0::/system.slice/outpost.service\n", "/proc/self/mounts": ext4 },
      false,
    ],
    ["a system without these files", {}, false],
    ["a Docker container", { "/.dockerenv": "", "/proc/self/cgroup": "0::/\n", "/proc/self/mounts": ext4 }, true],
    ["a Podman container", { "/run/.containerenv": "" }, true],
    ["a pod, by its control group", { "/proc/self/cgroup": "12:pids:/kubepods/besteffort/pod1/2\n" }, true],
    ["a pod, by its layers", { "/proc/self/cgroup": "0::/\n", "/proc/self/mounts": layered }, true],
  ])("%s", (_title, files, expected) => {
    expect(isContainer({ exists: (path) => path in files, text: (path) => files[path] ?? "" })).toBe(expected);
  });
});
