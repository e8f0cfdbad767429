import { existsSync, readFileSync } from "node:fs";
import type { AgentPlatform } from "#contract/agent-protocol.ts";

/** What this agent runs on. */
export function hostPlatform(): AgentPlatform {
  return { os: process.platform, arch: process.arch, nodeVersion: process.versions.node, isContainer: isContainer(systemFiles) };
}

/** The files that tell a container from a machine. */
export interface SystemFiles {
  readonly exists: (path: string) => boolean;
  /** Empty where it cannot be read. */
  readonly text: (path: string) => string;
}

/**
 * Docker and Podman leave a mark. Others are known by the group that the kernel counts them in, or by a root file system that is put together
 * of layers; nothing tells it for certain, so it is for people only.
 */
export function isContainer({ exists, text }: SystemFiles): boolean {
  if (exists("/.dockerenv") || exists("/run/.containerenv")) return true;
  if (/\b(docker|kubepods|containerd|libpod|lxc)\b/.test(text("/proc/self/cgroup"))) return true;
  return /^\S+ \/ overlay /m.test(text("/proc/self/mounts"));
}

const systemFiles: SystemFiles = {
  exists: existsSync,
  text(path) {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  },
};
