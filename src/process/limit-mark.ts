import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { findExecutable } from './find-executable.js'
import { textOf } from './proc-files.js'

/*
 * A mark of a step's processes that stays when a program clears its environment, leaves its process
 * group and session, and loses its parent. Linux copies the limits of a process to its children,
 * and it has not enforced the limit of file locks (RLIMIT_LOCKS) since 2.4.25: its values can hold
 * a number. `prlimit` of util-linux sets both and then becomes the program. A process may lower its
 * hard limit, and only root may raise it: so a process without the usual one (unlimited) was
 * started in a step or a session, also if the number was changed since.
 *
 * The number: 8 bits that are the same in every mark, 28 bits of the run, 28 bits of the step.
 */

const PREFIX = 0x5bn
const PART_BITS = 28n
const PRLIMIT_PATH = '/usr/bin:/bin'

/** The number of a step, by its name `<run>/<step>`. */
export function limitMark(name: string): bigint {
  const slash = name.indexOf('/')
  const [run, step] = [name.slice(0, slash), name.slice(slash + 1)]
  return (((PREFIX << PART_BITS) | bitsOf(run)) << PART_BITS) | bitsOf(step)
}

/** Whether the number is one of a step of this run. */
export function isOfRun(mark: bigint, run: string): boolean {
  return mark >> PART_BITS === ((PREFIX << PART_BITS) | bitsOf(run))
}

/** The number that a process inherited; null without one. */
export function limitMarkOf(pid: number | 'self'): bigint | null {
  return parseLimitMark(textOf(`/proc/${pid}/limits`) ?? '')
}

export function parseLimitMark(limits: string): bigint | null {
  const soft = /^Max file locks\s+(\d+)\s/m.exec(limits)?.[1]
  const mark = soft === undefined ? 0n : BigInt(soft)
  return mark >> (2n * PART_BITS) === PREFIX ? mark : null
}

/** The hard limit of a process: null if it is unlimited. */
export function hardLimitOf(pid: number | 'self'): bigint | null {
  const hard = /^Max file locks\s+\S+\s+(\d+)\s/m.exec(textOf(`/proc/${pid}/limits`) ?? '')?.[1]
  return hard === undefined ? null : BigInt(hard)
}

/** Whether this process was started in a session or a step. */
export function isMarked(): boolean {
  return limitMarkOf('self') !== null
}

/** Whether this system can mark processes. */
export function limitMarks(): boolean {
  return workingPrlimit() !== null
}

interface Program {
  file: string
  args: readonly string[]
}

/**
 * Wraps the program with `prlimit`. Returns it unchanged if the mark cannot be set or the program
 * does not exist.
 * Inside of a session or step the program inherits that mark, because nothing can replace it.
 */
export function withLimitMark(
  name: string,
  program: Program,
  options: { path: string | undefined; cwd: string },
): Program {
  const prlimit = isMarked() || findExecutable(program.file, options) === null ? null : workingPrlimit()
  return prlimit === null ? program : limited(prlimit, String(limitMark(name)), program)
}

function limited(prlimit: string, value: string, { file, args }: Program): Program {
  return { file: prlimit, args: [`--locks=${value}:${value}`, '--', file, ...args] }
}

let known: string | null | undefined

/** Its file, if it works: a sandbox may refuse to change limits. */
function workingPrlimit(): string | null {
  if (known !== undefined) return known
  known = findExecutable('prlimit', { path: PRLIMIT_PATH, cwd: '/' })
  if (known === null) return known
  const mark = limitMark('run/step')
  const { file, args } = limited(known, String(mark), { file: 'cat', args: ['/proc/self/limits'] })
  const { stdout } = spawnSync(file, args, { encoding: 'utf8', timeout: 5_000 })
  if (parseLimitMark(stdout ?? '') !== mark) known = null
  return known
}

function bitsOf(text: string): bigint {
  const hash = createHash('sha256').update(text).digest('hex')
  return BigInt(`0x${hash.slice(0, Number(PART_BITS) / 4)}`)
}
