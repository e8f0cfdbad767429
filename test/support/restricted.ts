import { spawnSync } from "node:child_process";

/** Who runs inside containers: neither root nor anybody on this machine. */
const user = 65_532;

/** Starts a program to which the kernel refuses sockets of IPv6 with EAFNOSUPPORT, as one without IPv6 does. */
export const withoutIPv6: readonly string[] = ["python3", "-c", seccomp()];

/** Why mounts of a process's own cannot be made here, or null. */
export const noOwnMounts: string | null = ownMountsProblem();

/** Why a process cannot be kept from IPv6 here, or null. */
export const noIPv6Filter: string | null = filterProblem();

/**
 * Starts a program as an unprivileged user without capabilities, with a tmpfs at `folder` that only it sees. `prepare` is run there
 * first, as root, with the folder as `$D`.
 */
export function withOwnFolder(folder: string, options: string, prepare: string): readonly string[] {
  const setpriv = `setpriv --reuid ${user} --regid ${user} --clear-groups --bounding-set -all --no-new-privs`;
  const script = `D="$0"; mount -t tmpfs -o ${options} tmpfs "$D" && { ${prepare}; } && exec ${setpriv} "$@"`;
  return ["unshare", "--mount", "sh", "-c", script, folder];
}

/** A filter of six instructions: socket(AF_INET6, …) fails, all else is allowed. */
function seccomp(): string {
  return `
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
rules = [(0x20, 0, 0, 0), (0x15, 0, 3, 41), (0x20, 0, 0, 16), (0x15, 0, 1, 10), (0x06, 0, 0, 0x50000 | 97), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
program = Program(len(rules), ctypes.addressof(code))
if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(program)) != 0:
    sys.exit("no seccomp")
os.execvp(sys.argv[1], sys.argv[1:])
`;
}

function ownMountsProblem(): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root on Linux makes mounts";
  const asUser = ["--mount", "setpriv", "--reuid", String(user), "--regid", String(user), "--clear-groups"];
  if (spawnSync("unshare", [...asUser, "true"]).status !== 0) return "this root may not make mounts, or setpriv is missing";
  const reads = `require("node:fs").readFileSync(${JSON.stringify(import.meta.filename)})`;
  const { status } = spawnSync("unshare", [...asUser, process.execPath, "--eval", reads]);
  return status === 0 ? null : `another user cannot read ${import.meta.dirname}, or start ${process.execPath}`;
}

function filterProblem(): string | null {
  if (process.platform !== "linux" || process.arch !== "x64") return "the filter is written for Linux on x86-64";
  const [program = "", ...args] = withoutIPv6;
  return spawnSync(program, [...args, "true"]).status === 0 ? null : "python3 is missing, or may not set a seccomp filter";
}
