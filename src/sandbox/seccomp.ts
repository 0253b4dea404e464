/*
 * A filter of system calls for programs in a sandbox, as the bytes that bubblewrap's `--seccomp`
 * takes: an array of `struct sock_filter`, each 8 bytes (code, two jumps, a value).
 *
 * It refuses what namespaces do not separate: keys of the user in the kernel, the log of the
 * kernel, input into a terminal (TIOCSTI), addresses outside IP (the hypervisor of a virtual
 * machine by AF_VSOCK, Bluetooth), and interfaces of the kernel that programs do not need and that
 * have been its way to more rights (bpf, userfaultfd, io_uring, AF_ALG, perf). It allows user
 * namespaces and mounts within them: Codex, Claude Code and Chromium make their own sandboxes with
 * them. It allows ptrace: a debugger is an ordinary tool, and sees no process outside.
 */

interface Architecture {
  /** AUDIT_ARCH of `linux/audit.h`. */
  audit: number
  /** Numbers of system calls. */
  refused: readonly number[]
  missing: readonly number[]
  socket: number
  ioctl: number
  /** Calls with this bit use another ABI (x32). */
  otherAbi?: number
}

/* add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, kexec_load, kexec_file_load,
 * init_module, finit_module, delete_module, syslog, acct, swapon, swapoff, quotactl, reboot,
 * settimeofday, open_by_handle_at, lookup_dcookie */
const X64 = [248, 249, 250, 321, 298, 323, 246, 320, 175, 313, 176, 103, 163, 167, 168, 179, 169, 164, 304, 212]
const ARM64 = [217, 218, 219, 280, 241, 282, 104, 294, 105, 273, 106, 116, 89, 224, 225, 60, 142, 170, 265, 18]
/** io_uring_setup, io_uring_enter, io_uring_register: the same everywhere. */
const IO_URING = [425, 426, 427]

const ARCHITECTURES: Readonly<Partial<Record<string, Architecture>>> = {
  x64: { audit: 0xc000003e, refused: X64, missing: IO_URING, socket: 41, ioctl: 16, otherAbi: 0x40000000 },
  arm64: { audit: 0xc00000b7, refused: ARM64, missing: IO_URING, socket: 198, ioctl: 29 },
}

/** AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const FAMILIES = [0, 1, 2, 10, 16]
/** TIOCSTI, TIOCLINUX. */
const TERMINAL_INPUT = [0x5412, 0x541c]

const LOAD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_ABOVE = 0x35
const RETURN = 0x06
const ALLOW = 0x7fff0000
const errorOf = (number: number) => 0x00050000 | number
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97].map(errorOf) as [number, number, number]
/** Offsets in `struct seccomp_data`; the low half of an argument comes first. */
const OFFSET = { number: 0, architecture: 4, argument: (index: number) => 16 + 8 * index }

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number]

/** The filter for an architecture of Node (`process.arch`); null where we have none. */
export function seccompFilter(arch: string): Buffer | null {
  const architecture = ARCHITECTURES[arch]
  if (!architecture) return null
  const { audit, refused, missing, socket, ioctl, otherAbi } = architecture
  const program: Instruction[] = [
    [LOAD, 0, 0, OFFSET.architecture],
    ...returnUnlessEqual(audit, ENOSYS),
    [LOAD, 0, 0, OFFSET.number],
    ...(otherAbi === undefined ? [] : ifAbove(otherAbi, ENOSYS)),
    ...refused.flatMap(number => ifEqual(number, EPERM)),
    ...missing.flatMap(number => ifEqual(number, ENOSYS)),
    ...inCall(socket, 0, [...FAMILIES.flatMap(family => ifEqual(family, ALLOW)), answer(EAFNOSUPPORT)]),
    ...inCall(ioctl, 1, [...TERMINAL_INPUT.flatMap(request => ifEqual(request, EPERM)), answer(ALLOW)]),
    answer(ALLOW),
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(whenTrue, index * 8 + 2)
    bytes.writeUInt8(whenFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}

function answer(value: number): Instruction {
  return [RETURN, 0, 0, value]
}

function ifEqual(value: number, result: number): Instruction[] {
  return [[JUMP_IF_EQUAL, 0, 1, value], answer(result)]
}

function returnUnlessEqual(value: number, result: number): Instruction[] {
  return [[JUMP_IF_EQUAL, 1, 0, value], answer(result)]
}

/** Greater or equal. */
function ifAbove(value: number, result: number): Instruction[] {
  return [[JUMP_IF_ABOVE, 0, 1, value], answer(result)]
}

/** Instructions about an argument of one call; they must answer. */
function inCall(call: number, argument: number, judged: readonly Instruction[]): Instruction[] {
  return [[JUMP_IF_EQUAL, 0, judged.length + 1, call], [LOAD, 0, 0, OFFSET.argument(argument)], ...judged]
}
