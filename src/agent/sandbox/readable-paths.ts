import { statSync } from "node:fs";

/** What any Node.js reads to start, to resolve names, to trust certificates and to know the time zone; `isProgram`: its files may be executed. */
const ofTheSystem: readonly { readonly path: string; readonly isProgram?: boolean }[] = [
  { path: "/lib", isProgram: true },
  { path: "/lib64", isProgram: true },
  { path: "/usr/lib", isProgram: true },
  { path: "/usr/lib64", isProgram: true },
  { path: "/usr/local/lib", isProgram: true },
  { path: "/etc/ld.so.cache" },
  { path: "/etc/resolv.conf" },
  { path: "/etc/hosts" },
  { path: "/etc/host.conf" },
  { path: "/etc/nsswitch.conf" },
  { path: "/etc/gai.conf" },
  { path: "/etc/services" },
  { path: "/etc/protocols" },
  { path: "/etc/ssl/certs" },
  { path: "/etc/ssl/openssl.cnf" },
  { path: "/etc/ssl/cert.pem" },
  { path: "/etc/pki/tls/certs" },
  { path: "/etc/pki/ca-trust/extracted" },
  { path: "/usr/share/ca-certificates" },
  { path: "/etc/localtime" },
  { path: "/usr/share/zoneinfo" },
];

export interface ReadablePath {
  readonly path: string;
  readonly isFolder: boolean;
  readonly isProgram: boolean;
}

/** The whole of what a child may read beside its own entry in /proc: the system's share, its runtime, and our first code. */
export function readablePaths(runtimeFolder: string, node: string, childFolder: string): ReadablePath[] {
  const all = [...ofTheSystem, { path: runtimeFolder }, { path: node, isProgram: true }, { path: childFolder }];
  return all.flatMap(({ path, isProgram = false }) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? [] : { path, isFolder: found.isDirectory(), isProgram };
  });
}
