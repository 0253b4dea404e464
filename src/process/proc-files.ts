import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs'

/*
 * What the system shows about a process under /proc. Any file may be missing or hidden at any time,
 * which is a normal result, not an error.
 */

export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Null when it is hidden or missing. */
export function entriesOf(path: string): string[] | null {
  try {
    return readdirSync(path)
  } catch {
    return null
  }
}

/**
 * The fields of `/proc/<pid>/stat` from the third (state) on, or null when there is no such file.
 */
export function statFields(pid: number): string[] | null {
  const stat = textOf(`/proc/${pid}/stat`)
  // The second field is the name in brackets, which may itself contain blanks and brackets.
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The device of an open file, if it is one. */
export function deviceOf(pid: number, fd: string): number | null {
  try {
    const found = statSync(`/proc/${pid}/fd/${fd}`)
    return found.isCharacterDevice() ? found.rdev : null
  } catch {
    return null
  }
}

/** Whether a file is open for reading: the two lowest bits of its flags are not "write only". */
export function isReadable(pid: number, fd: string): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(textOf(`/proc/${pid}/fdinfo/${fd}`) ?? '')?.[1]
  return flags === undefined || (Number.parseInt(flags, 8) & 3) !== 1
}

/** The target of an open file, also of one without a name: `anon_inode:[eventpoll]`. */
export function linkOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`)
  } catch {
    return ''
  }
}

/** Some bytes of the memory of a process: the lists that it passed to the kernel. */
export function memoryOf(pid: number, address: number, length: number): Buffer | null {
  if (address === 0 || length === 0) return null
  let file: number | null = null
  try {
    file = openSync(`/proc/${pid}/mem`, 'r')
    const bytes = Buffer.alloc(length)
    return readSync(file, bytes, 0, length, address) === length ? bytes : null
  } catch {
    return null
  } finally {
    if (file !== null) closeSync(file)
  }
}
