/*
 * The few calls of the C library that Node has no API for (docs/decisions/0039-kernel-calls.md).
 * The binding is loaded by long-lived processes only, when they first need it.
 */

/** The process at the other end of a unix socket, as the kernel recorded it at `connect`. */
interface SocketPeer {
  pid: number
  /** Null where the system reports the process only. */
  uid: number | null
}

export interface Libc {
  peerOf(descriptor: number): SocketPeer | null
  /**
   * Other processes of this user can no longer read the memory and the environment of this process,
   * nor trace it. False where the system has no such switch.
   */
  hideMemory(): boolean
}

interface Platform {
  library: string
  /** `getsockopt`: level and name of the option, and the size of its value. */
  peer: { level: number; name: number; size: number }
  hides: boolean
}

const PLATFORMS: Partial<Record<NodeJS.Platform, Platform>> = {
  // SO_PEERCRED: pid, uid, gid. musl has no separate libc.so.6; its loader finds the same symbols.
  linux: { library: 'libc.so.6', peer: { level: 1, name: 17, size: 12 }, hides: true },
  // LOCAL_PEERPID of SOL_LOCAL: the process id alone.
  darwin: { library: '/usr/lib/libSystem.B.dylib', peer: { level: 0, name: 2, size: 4 }, hides: false },
}
const PR_SET_DUMPABLE = 4
const NAME = 'signalbox-libc'

let loading: Promise<Libc | null> | null = null

/** Null where the platform or its binding is missing. */
export function loadLibc(): Promise<Libc | null> {
  loading ??= open().catch(() => null)
  return loading
}

async function open(): Promise<Libc | null> {
  const platform = PLATFORMS[process.platform]
  if (!platform) return null
  const { DataType, load, open: openLibrary } = await import('ffi-rs')
  const { I32, I64, U8Array } = DataType
  openLibrary({ library: NAME, path: platform.library })
  return {
    peerOf: descriptor => {
      const { level, name, size } = platform.peer
      const value = Buffer.alloc(size)
      const length = Buffer.alloc(4)
      length.writeUInt32LE(size)
      const result = load({
        library: NAME,
        funcName: 'getsockopt',
        retType: I32,
        paramsType: [I32, I32, I32, U8Array, U8Array],
        paramsValue: [descriptor, level, name, value, length],
      })
      const pid = value.readInt32LE(0)
      return result === 0 && pid > 0 ? { pid, uid: size > 4 ? value.readUInt32LE(4) : null } : null
    },
    hideMemory: () =>
      platform.hides &&
      load({
        library: NAME,
        funcName: 'prctl',
        retType: I32,
        paramsType: [I32, I64, I64, I64, I64],
        paramsValue: [PR_SET_DUMPABLE, 0, 0, 0, 0],
      }) === 0,
  }
}
