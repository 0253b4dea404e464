import { findExecutable } from './find-executable.js'
import { deviceOf, entriesOf, isReadable, statFields, textOf } from './proc-files.js'
import { groupMembers, groupsOf, THREADS_MAX, treeOf } from './process-tree.js'
import {
  type ForegroundProcess,
  judgeTerminalRead,
  type TerminalFacts,
  type TerminalMode,
  type TerminalReadState,
} from './reads-terminal.js'
import { runCommand } from './run-command.js'
import { waitOf } from './thread-wait.js'

/** Device numbers of `/dev/tty` and of the master side of pseudoterminals. */
const OWN_TTY = 0x500
const MASTER = 0x502
/** The depth of programs that run programs in nested terminals. */
const DEPTH_MAX = 4
const STTY_MS = 2_000

/** Whether the program in the foreground reads the terminal now. Only Linux reports it. */
export async function readsTerminal(
  pid: number,
  env: NodeJS.ProcessEnv,
  /** `isCallHidden`: as on a system that hides the system calls of other users' children. */
  { isCallHidden = false }: { isCallHidden?: boolean } = {},
): Promise<TerminalReadState> {
  const facts = readerFacts(pid, isCallHidden)
  if (!facts) return { reads: 'unknown', how: 'not supported on this system' }
  const first = judgeTerminalRead({ ...facts, mode: null })
  if (first.reads === 'yes') return first
  return judgeTerminalRead({ ...facts, mode: await modeOf(facts.terminal, env) })
}

/** The foreground group of a process's terminal; null where the system reports nothing about it. */
function readerFacts(
  pid: number,
  isCallHidden: boolean,
  depth = 0,
): (Omit<TerminalFacts, 'mode'> & { terminal: string | null }) | null {
  const own = statFields(pid)
  if (!own) return null
  const { terminal, group } = groupsOf(own)
  const { pids, isComplete } = treeOf(pid)
  const members = groupMembers(pids, group)
  const relay = depth < DEPTH_MAX ? members.find(isRelay) : undefined
  // A relay reads its terminal all the time to pass it on: the programs behind it are those that
  // ask.
  const inner = relay === undefined ? undefined : pids.find(pid => pid !== relay && isBehindRelay(pid, relay, terminal))
  if (inner !== undefined) return readerFacts(inner, isCallHidden, depth + 1)
  const processes = members.map(member => processOf(member, terminal, isCallHidden))
  return { processes, isComplete, terminal: pathOf(terminal) }
}

function isRelay(pid: number): boolean {
  return (entriesOf(`/proc/${pid}/fd`) ?? []).some(fd => deviceOf(pid, fd) === MASTER)
}

/** Whether a relay started it, in a terminal that is not the relay's. */
function isBehindRelay(pid: number, relay: number, terminal: number): boolean {
  const fields = statFields(pid)
  if (!fields || groupsOf(fields).terminal === terminal || groupsOf(fields).terminal === 0) return false
  return treeOf(relay).pids.includes(pid)
}

function processOf(pid: number, terminal: number, isCallHidden: boolean): ForegroundProcess {
  const name = textOf(`/proc/${pid}/comm`)?.trim() ?? String(pid)
  const files = entriesOf(`/proc/${pid}/fd`)
  const terminalFds =
    files?.filter(fd => [terminal, OWN_TTY].includes(deviceOf(pid, fd) ?? -1) && isReadable(pid, fd)).map(Number) ??
    null
  const threads = (entriesOf(`/proc/${pid}/task`) ?? [])
    .slice(0, THREADS_MAX)
    .map(thread => waitOf(pid, thread, { files, isCallHidden }))
  return { pid, name, terminalFds, threads }
}

/** The path of a pseudoterminal by device (majors 136–143, 256 minors); else null. */
function pathOf(device: number): string | null {
  const major = (device >> 8) & 0xfff
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00)
  return major >= 136 && major <= 143 ? `/dev/pts/${(major - 136) * 256 + minor}` : null
}

/** The terminal's mode, as `stty` reads it: without a native library there is no other way. */
async function modeOf(path: string | null, env: NodeJS.ProcessEnv): Promise<TerminalMode | null> {
  const stty = path === null ? null : findExecutable('stty', { path: env.PATH, cwd: '/' })
  if (!stty || path === null) return null
  const { code, stdout } = await runCommand(stty, ['-F', path, '-a'], {
    cwd: '/',
    env: { ...env, LC_ALL: 'C' },
    timeoutMs: STTY_MS,
  })
  if (code !== 0) return null
  const flags = new Set(stdout.split(/[\s;]+/))
  if (flags.has('-icanon')) return 'keys'
  return flags.has('-echo') ? 'silent' : flags.has('icanon') ? 'lines' : null
}
