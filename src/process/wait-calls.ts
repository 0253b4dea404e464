/** System calls in which a program may wait for its terminal, and which never do. */
export type WaitCall =
  | 'read'
  | 'poll'
  | 'select'
  | 'epoll'
  | 'ring'
  | 'sleeps'
  | 'waits for a program'
  | 'waits for itself'

/** From the kernel: arch/x86/entry/syscalls/syscall_64.tbl, asm-generic/unistd.h. */
const NUMBERS: Readonly<Record<'x64' | 'arm64', Readonly<Record<WaitCall, readonly number[]>>>> = {
  x64: {
    // read, readv
    read: [0, 19],
    // poll, ppoll
    poll: [7, 271],
    // select, pselect6
    select: [23, 270],
    // epoll_wait, epoll_pwait, epoll_pwait2
    epoll: [232, 281, 441],
    // io_uring_enter
    ring: [426],
    // nanosleep, clock_nanosleep
    sleeps: [35, 230],
    // wait4, waitid
    'waits for a program': [61, 247],
    // futex, pause, rt_sigsuspend, rt_sigtimedwait
    'waits for itself': [202, 34, 130, 128],
  },
  arm64: {
    read: [63, 65],
    poll: [73],
    select: [72],
    epoll: [22, 441],
    ring: [426],
    sleeps: [101, 115],
    'waits for a program': [260, 95],
    'waits for itself': [98, 133, 137],
  },
}

export const CALLS: Readonly<Partial<Record<string, ReadonlyMap<number, WaitCall>>>> = Object.fromEntries(
  Object.entries(NUMBERS).map(([processor, calls]) => [
    processor,
    new Map(
      Object.entries(calls).flatMap(([call, numbers]) => numbers.map(number => [number, call as WaitCall] as const)),
    ),
  ]),
)
