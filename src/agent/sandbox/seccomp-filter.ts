/**
 * One instruction of a filter of system calls, as the kernel's BPF has them: operation, jump if so, jump if not, value. A word stands for
 * what is known only in the process that sets the filter: its id, and where the path of its next program lies in its memory.
 */
export type Instruction = readonly [
  operation: number,
  yes: number,
  no: number,
  value: number | "pid" | "parent" | "groupOfParent" | "pathLow" | "pathHigh",
];

/** Processors whose numbers of system calls we know. */
export type FilteredArch = "x64" | "arm64";

const load = 0x20;
const isEqual = 0x15;
const hasAnyOf = 0x45;
const bitsOf = 0x54;
const result = 0x06;
const allow = 0x7fff0000;
const kill = 0x80000000;
const refuse = (errno: number): number => 0x50000 | errno;
const [EPERM, EACCES, ENOSYS, EAFNOSUPPORT] = [1, 13, 38, 97];

/** Where `struct seccomp_data` holds its parts; of an argument the lower half. */
const numberAt = 0;
const archAt = 4;
const argumentAt = (index: number): number => 16 + index * 8;

const archs = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const threadFlag = 0x10000;
/** `CLONE_NEW…`: namespaces of its own. */
const namespaceFlags = 0x7e020000;
/** AF_INET and AF_INET6. */
const openFamilies = [2, 10] as const;
/** AF_NETLINK: by which a browser sees that the network changed. */
const netlink = 16;
type FamilyRule = readonly [family: number, opens: "streams" | "any"];
const ofScripts: readonly FamilyRule[] = openFamilies.map((family) => [family, "streams"]);
const stream = 1;
/** `SOL_SOCKET`. */
const ofSockets = 1;
/** By default and TCP. Landlock does not see the others that connect: MPTCP and SCTP. */
const openProtocols = [0, 6] as const;
/** `MSG_FASTOPEN`: connects without Landlock's seeing it (Linux 6.18). */
const connectsFlag = 0x20000000;
/** `SO_SNDBUF`, `SO_RCVBUF` and their stronger forms: memory of the kernel that no limit of the process counts. */
const bufferOptions = [7, 8, 32, 33] as const;

/** Calls that the filter looks into, by processor. */
const watched = {
  x64: { clone: 56, clone3: 435, execve: 59, kill: 62, prlimit: 302, rtSigqueueinfo: 129, tgkill: 234, tkill: 200 },
  arm64: { clone: 220, clone3: 435, execve: 221, kill: 129, prlimit: 261, rtSigqueueinfo: 138, tgkill: 131, tkill: 130 },
} as const;
const socketCalls = {
  x64: { socket: 41, sendto: 44, sendmsg: 46, setsockopt: 54, sendmmsg: 307 },
  arm64: { socket: 198, sendto: 206, sendmsg: 211, setsockopt: 208, sendmmsg: 269 },
} as const;

/**
 * Calls that no script needs: looking into other processes, new processes and namespaces, mounts, kernel modules, keys, clocks, raw
 * interfaces with a long history of holes, process groups and priorities, what Landlock does not stop: changes of rights, owners, times and
 * attributes of files, and memory that no limit of the process counts: of System V, of message queues, of files without a name. And none listens.
 */
const denied: Readonly<Record<FilteredArch, readonly number[]>> = {
  x64: [
    29, 30, 31, 50, 53, 57, 58, 64, 65, 66, 67, 68, 69, 70, 71, 76, 90, 91, 92, 93, 94, 101, 103, 109, 112, 129, 132, 133, 134, 135, 136,
    139, 141, 142, 144, 153, 154, 155, 156, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 177, 178, 179, 180,
    188, 189, 190, 197, 198, 199, 200, 203, 212, 216, 220, 227, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 248, 249, 250,
    251, 256, 259, 260, 261, 268, 272, 279, 280, 297, 298, 303, 304, 305, 308, 310, 311, 312, 313, 314, 319, 320, 321, 322, 323, 424, 425,
    426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 447, 448, 452, 457, 458, 460, 463, 466, 467, 469, 470,
  ],
  arm64: [
    5, 6, 7, 14, 15, 16, 18, 30, 33, 39, 40, 41, 45, 51, 52, 53, 54, 55, 60, 88, 89, 92, 97, 104, 105, 106, 112, 116, 117, 118, 119, 122,
    130, 138, 140, 142, 154, 157, 161, 162, 170, 171, 180, 181, 182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,
    197, 199, 201, 217, 218, 219, 224, 225, 235, 236, 237, 238, 239, 240, 241, 264, 265, 266, 268, 270, 271, 272, 273, 274, 279, 280, 281,
    282, 294, 424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 447, 448, 452, 457, 458, 460, 463, 466, 467, 469, 470,
  ],
};

/**
 * Calls that no browser and no test runner needs: as above, but for new processes, sessions, their sockets to each other, memory without a
 * name, and what files of their own may be given. A signal by the descriptor of a process could not be judged, so there are none.
 */
const deniedInTrees: Readonly<Record<FilteredArch, readonly number[]>> = {
  x64: [
    50, 101, 103, 134, 136, 139, 153, 154, 155, 156, 159, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 177, 178,
    179, 180, 212, 227, 246, 248, 249, 250, 256, 259, 272, 279, 297, 298, 300, 301, 303, 304, 305, 308, 310, 311, 312, 313, 320, 321, 323,
    424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 443, 448, 457, 458, 467,
  ],
  arm64: [
    18, 33, 39, 40, 41, 42, 51, 58, 60, 89, 97, 104, 105, 106, 112, 116, 117, 142, 161, 162, 170, 171, 201, 217, 218, 219, 224, 225, 238,
    239, 240, 241, 262, 263, 264, 265, 266, 268, 270, 271, 272, 273, 280, 282, 294, 424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434,
    438, 440, 442, 443, 448, 457, 458, 467,
  ],
};

/**
 * The filter of a tree of processes below a keeper (`keeper.cjs`), which nobody in it may end or limit, as it holds the tree together. Other
 * signals are Landlock's to judge.
 */
export function treeFilter(arch: FilteredArch): Instruction[] {
  const calls = watched[arch];
  return [
    ...numberOn(arch),
    ...deniedInTrees[arch].flatMap((call) => on(call, [[result, 0, 0, refuse(EPERM)]])),
    ...on(calls.clone3, [[result, 0, 0, refuse(ENOSYS)]]),
    ...on(calls.clone, noNamespaces),
    ...socketRules(arch, [...openFamilies.map((family): FamilyRule => [family, "streams"]), [netlink, "any"]]),
    ...[calls.kill, calls.tkill, calls.tgkill, calls.rtSigqueueinfo, calls.prlimit].flatMap((call) => on(call, notTheKeeper)),
    [result, 0, 0, allow],
  ];
}

/**
 * The filter of a script's process. `knowsItself`: it is set by the process that becomes the runtime's Node.js, so that signals to others
 * and every other program can be refused too; bubblewrap sets it without that, inside a process space of its own.
 */
export function seccompFilter(arch: FilteredArch, knowsItself: boolean): Instruction[] {
  const calls = watched[arch];
  return [
    ...numberOn(arch),
    ...denied[arch].flatMap((call) => on(call, [[result, 0, 0, refuse(EPERM)]])),
    ...on(calls.clone3, [[result, 0, 0, refuse(ENOSYS)]]), // libraries take clone then, whose flags can be seen
    ...on(calls.clone, threadsOnly),
    ...socketRules(arch, ofScripts),
    ...(knowsItself
      ? [...on(calls.kill, ownProcess), ...on(calls.tgkill, ownProcess), ...on(calls.prlimit, ownLimits), ...on(calls.execve, knownProgram)]
      : []),
    [result, 0, 0, allow],
  ];
}

/** What of it holds the network alone. */
export function socketFilter(arch: FilteredArch): Instruction[] {
  return [...numberOn(arch), ...socketRules(arch, ofScripts), [result, 0, 0, allow]];
}

/** Loads the number of the call, where it is one of this processor. */
function numberOn(arch: FilteredArch): Instruction[] {
  const known: Instruction[] = [
    [load, 0, 0, archAt],
    [isEqual, 1, 0, archs[arch]],
    [result, 0, 0, kill],
    [load, 0, 0, numberAt],
  ];
  return arch === "x64" ? [...known, ...oldAddresses] : known;
}

/** TCP alone, which Landlock holds to a port: no way around it, and no more memory than a socket has by itself. */
function socketRules(arch: FilteredArch, families: readonly FamilyRule[]): Instruction[] {
  const calls = socketCalls[arch];
  const isOne = (of: readonly number[], then: readonly Instruction[]): Instruction[] => of.flatMap((value) => on(value, then));
  const protocols: Instruction[] = [
    [load, 0, 0, argumentAt(2)],
    ...isOne(openProtocols, [[result, 0, 0, allow]]),
    [result, 0, 0, refuse(EACCES)],
  ];
  const kinds: Instruction[] = [[load, 0, 0, argumentAt(1)], [bitsOf, 0, 0, 15], ...on(stream, protocols), [result, 0, 0, refuse(EACCES)]];
  const opened = families.flatMap(([family, opens]) => on(family, opens === "streams" ? kinds : [[result, 0, 0, allow]]));
  const flagsAt = (index: number): Instruction[] => [
    [load, 0, 0, argumentAt(index)],
    [hasAnyOf, 0, 1, connectsFlag],
    [result, 0, 0, refuse(EPERM)],
    [result, 0, 0, allow],
  ];
  const options: Instruction[] = [
    [load, 0, 0, argumentAt(2)],
    ...isOne(bufferOptions, [[result, 0, 0, refuse(EPERM)]]),
    [result, 0, 0, allow],
  ];
  return [
    ...on(calls.socket, [[load, 0, 0, argumentAt(0)], ...opened, [result, 0, 0, refuse(EAFNOSUPPORT)]]),
    ...on(calls.sendto, flagsAt(3)),
    ...on(calls.sendmsg, flagsAt(2)),
    ...on(calls.sendmmsg, flagsAt(3)),
    ...on(calls.setsockopt, [[load, 0, 0, argumentAt(1)], ...on(ofSockets, options), [result, 0, 0, allow]]),
  ];
}

/** As bytes, for a filter without words. */
export function filterBytes(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([operation, yes, no, value], index) => {
    bytes.writeUInt16LE(operation, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(Number(value), index * 8 + 4);
  });
  return bytes;
}

/** Runs `then`, which ends in a result, where the value just loaded is this one. */
function on(value: number, then: readonly Instruction[]): Instruction[] {
  return [[isEqual, 0, then.length, value], ...then];
}

/** The x32 interface has numbers of its own for the same calls. */
const oldAddresses: readonly Instruction[] = [
  [hasAnyOf, 0, 1, 0x40000000],
  [result, 0, 0, refuse(EPERM)],
];

const threadsOnly: readonly Instruction[] = [
  [load, 0, 0, argumentAt(0)],
  [hasAnyOf, 0, 2, threadFlag],
  [hasAnyOf, 1, 0, namespaceFlags],
  [result, 0, 0, allow],
  [result, 0, 0, refuse(EPERM)],
];

const noNamespaces: readonly Instruction[] = [
  [load, 0, 0, argumentAt(0)],
  [hasAnyOf, 0, 1, namespaceFlags],
  [result, 0, 0, refuse(EPERM)],
  [result, 0, 0, allow],
];

/** Neither the keeper itself, nor its group, nor everybody (-1). */
const notTheKeeper: readonly Instruction[] = [
  [load, 0, 0, argumentAt(0)],
  [isEqual, 2, 0, "parent"],
  [isEqual, 1, 0, "groupOfParent"],
  [isEqual, 0, 1, 0xffffffff],
  [result, 0, 0, refuse(EPERM)],
  [result, 0, 0, allow],
];

const ownProcess: readonly Instruction[] = [
  [load, 0, 0, argumentAt(0)],
  [isEqual, 0, 1, "pid"],
  [result, 0, 0, allow],
  [result, 0, 0, refuse(EPERM)],
];

/** Zero is the process itself. */
const ownLimits: readonly Instruction[] = [
  [load, 0, 0, argumentAt(0)],
  [isEqual, 2, 0, 0],
  [isEqual, 1, 0, "pid"],
  [result, 0, 0, refuse(EPERM)],
  [result, 0, 0, allow],
];

/** The one call of execve that is ours, by where its path lies; the new program's memory is elsewhere. */
const knownProgram: readonly Instruction[] = [
  [load, 0, 0, argumentAt(0)],
  [isEqual, 0, 3, "pathLow"],
  [load, 0, 0, argumentAt(0) + 4],
  [isEqual, 0, 1, "pathHigh"],
  [result, 0, 0, allow],
  [result, 0, 0, refuse(EACCES)],
];
