import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs'

/*
 * What the system shows of a process under /proc. Everything may be gone or hidden at any moment, which is an answer and no failure.
 */

export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Null: not to be seen. */
export function entriesOf(path: string): string[] | null {
  try {
    return readdirSync(path)
  } catch {
    return null
  }
}

/** The fields of `/proc/<pid>/stat` from the third (state) on, or null where there are none. */
export function statFields(pid: number): string[] | null {
  const stat = textOf(`/proc/${pid}/stat`)
  // The second field is the name in brackets, which may itself hold blanks and brackets.
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The device behind an open file, if it is one. */
export function deviceOf(pid: number, fd: string): number | null {
  try {
    const found = statSync(`/proc/${pid}/fd/${fd}`)
    return found.isCharacterDevice() ? found.rdev : null
  } catch {
    return null
  }
}

/** Open for reading: the two lowest bits of its flags are not "write only". */
export function isReadable(pid: number, fd: string): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(textOf(`/proc/${pid}/fdinfo/${fd}`) ?? '')?.[1]
  return flags === undefined || (Number.parseInt(flags, 8) & 3) !== 1
}

/** What an open file is that has no name: `anon_inode:[eventpoll]`. */
export function linkOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`)
  } catch {
    return ''
  }
}

/** Some bytes of a process's memory: the lists that it handed to the kernel. */
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
