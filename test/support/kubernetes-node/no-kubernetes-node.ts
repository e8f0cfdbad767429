import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chartTools } from "../chart-tools.ts";
import { noImages } from "../containers.ts";
import { programsFolder } from "./programs.ts";

/** What a machine in a machine may refuse: namespaces, an overlay, rules, devices, control groups. */
const tries = `
set -e
mount -t tmpfs tmpfs /run
mkdir /run/{lower,upper,work,both}
mount -t overlay -o lowerdir=/run/lower,upperdir=/run/upper,workdir=/run/work overlay /run/both
echo 1 >/proc/sys/net/ipv4/ip_forward
iptables -t nat -L >/dev/null
ip link add outpost0 type bridge
for hierarchy in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/memory/cgroup.procs; do
  [ ! -e "$hierarchy" ] || { mkdir "\${hierarchy%/*}/outpost-node-$$-try" && rmdir "\${hierarchy%/*}/outpost-node-$$-try" && found=1; }
done
[ -n "\${found-}" ] || { echo 'control groups cannot be made' >&2; exit 1; }
`;

/** Why no Kubernetes node can be made here, or null. */
export const noKubernetesNode: string | null = reason();

function reason(): string | null {
  if (process.platform !== "linux") return "nodes are of Linux";
  if (process.getuid?.() !== 0) return "only root makes a node";
  if (!existsSync(programsFolder)) return "its programs are not built; `.ci/kubernetes-node` builds them";
  if (chartTools() === null) return "the chart tools are not built";
  if (noImages !== null) return noImages;
  for (const program of ["containerd", "ctr", "runc", "iptables", "ip", "openssl", "unshare", "setpriv"]) {
    if (spawnSync(program, ["--version"]).error !== undefined) return `${program} is not installed`;
  }
  if (!existsSync("/usr/lib/cni/bridge")) return "the plugins of container networks are not installed";
  const asked = spawnSync("unshare", ["--net", "--mount", "--pid", "--fork", "bash", "-c", tries], { encoding: "utf8" });
  return asked.status === 0 ? null : `this root may not make a node: ${asked.stderr.trim().split("\n").at(-1)}`;
}
