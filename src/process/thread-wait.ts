import { endianness } from 'node:os'
import { linkOf, memoryOf, textOf } from './proc-files.js'
import type { ThreadWait } from './reads-terminal.js'
import { CALLS, type WaitCall } from './wait-calls.js'

/** Where a thread is blocked: by its system call, else by the kernel's name for it. */
export function waitOf(
  pid: number,
  thread: string,
  { files, isCallHidden }: { files: readonly string[] | null; isCallHidden: boolean },
): ThreadWait {
  const line = isCallHidden ? undefined : textOf(`/proc/${pid}/task/${thread}/syscall`)?.trim()
  const state = textOf(`/proc/${pid}/task/${thread}/stat`)?.split(') ').at(-1)?.[0]
  if (line === 'running' || state === 'R') return { in: 'elsewhere', where: 'computes' }
  const words = line?.split(' ') ?? []
  const calls = CALLS[process.arch]
  if (calls && words.length > 2 && words[0] !== '-1') {
    const call = calls.get(Number(words[0]))
    return call === undefined
      ? { in: 'elsewhere', where: `waits in call ${words[0]}` }
      : waitInCall(pid, call, words.slice(1).map(Number))
  }
  return waitAt(pid, textOf(`/proc/${pid}/task/${thread}/wchan`)?.trim() ?? '', files)
}

function waitInCall(pid: number, call: WaitCall, args: readonly number[]): ThreadWait {
  const [first = 0, second = 0] = args
  switch (call) {
    case 'read':
      return { in: 'read', fds: [first] }
    case 'poll':
      return { in: 'poll', fds: polledFds(pid, first, second) }
    case 'select':
      return { in: 'poll', fds: selectedFds(pid, first, second) }
    case 'epoll':
      return { in: 'epoll', fds: epollFds(pid, String(first)) }
    case 'ring':
      return { in: 'ring', fds: null }
    default:
      return { in: 'elsewhere', where: call }
  }
}

/**
 * By the kernel's name of the function, which is visible on systems that hide system calls from all
 * but ancestors (Yama, as on Ubuntu). A terminal is read in few functions; a thread that is blocked
 * at any other does not read it.
 */
function waitAt(pid: number, name: string, files: readonly string[] | null): ThreadWait {
  if (name === '' || name === '0') return { in: 'hidden' }
  if (/^(?:n_tty_|tty_|wait_woken|schedule_timeout)/.test(name)) return { in: 'read', fds: null }
  if (/^(?:poll_|do_select|do_poll|do_sys_poll|core_sys_select)/.test(name)) return { in: 'poll', fds: null }
  if (/^(?:io_cqring|io_uring)/.test(name)) return { in: 'ring', fds: null }
  if (/^(?:do_epoll|ep_poll|ep_)/.test(name)) {
    const watched = files?.filter(fd => linkOf(pid, fd).includes('eventpoll')).map(fd => epollFds(pid, fd)) ?? []
    const isSeen = watched.length > 0 && !watched.includes(null)
    return { in: 'epoll', fds: isSeen ? watched.flatMap(fds => fds ?? []) : null }
  }
  return { in: 'elsewhere', where: `waits at ${name}` }
}

/** The files of an array of `struct pollfd` that are polled for input. */
function polledFds(pid: number, address: number, count: number): number[] | null {
  const bytes = memoryOf(pid, address, Math.min(count, 256) * 8)
  if (!bytes) return count === 0 ? [] : null
  return Array.from({ length: bytes.length / 8 }, (_, index) => index * 8)
    .filter(at => (int16(bytes, at + 4) & 0x41) !== 0)
    .map(at => int32(bytes, at))
}

/** The files of an `fd_set` for reading: a bit for each. */
function selectedFds(pid: number, count: number, address: number): number[] | null {
  if (count === 0 || address === 0) return []
  const words = Math.ceil(Math.min(count, 1024) / 64)
  const bytes = memoryOf(pid, address, words * 8)
  if (!bytes) return null
  return Array.from({ length: Math.min(count, 1024) }, (_, fd) => fd).filter(
    fd => (bytes[fd >> 3]! & (1 << (fd & 7))) !== 0,
  )
}

/** The files that an epoll watches for input, as the kernel lists them: `tfd: 0 events: 19 …`. */
function epollFds(pid: number, fd: string): number[] | null {
  const info = textOf(`/proc/${pid}/fdinfo/${fd}`)
  if (info === null) return null
  return [...info.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)]
    .filter(([, , events]) => (Number.parseInt(events!, 16) & 0x41) !== 0)
    .map(([, watched]) => Number(watched))
}

const isLittle = endianness() === 'LE'
const int16 = (bytes: Buffer, at: number) => (isLittle ? bytes.readInt16LE(at) : bytes.readInt16BE(at))
const int32 = (bytes: Buffer, at: number) => (isLittle ? bytes.readInt32LE(at) : bytes.readInt32BE(at))
