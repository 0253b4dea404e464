import { spawnSync } from 'node:child_process'
import { readlinkSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { loadLibc } from './libc.js'
import { hardLimitOf, isMarked, limitMark, limitMarks } from './limit-mark.js'
import { type AgentProcess, judgeOrigin, type ProcessFacts, type ProcessOrigin } from './origin.js'
import { deviceOf, entriesOf, linkOf, statFields, textOf } from './proc-files.js'
import { STEP_MARK } from './step-mark.js'

/** The environment variable that every process of a session inherits. */
export const SESSION_MARK = 'SIGNALBOX_SESSION'
const DEPTH_MAX = 64

/** Sessions and steps by name and process id. */
type RunningAgents = readonly { name: string; pid: number }[]

/** The name that the limit mark of a session is made of: it works on no step of a run. */
export function sessionMark(session: string): string {
  return `${session}/session`
}

/** A process: its number may become that of another one, its start may not. */
interface PeerProcess {
  pid: number
  /** In ticks of the kernel; null where the system does not say. */
  start: string | null
}

const connected = new WeakMap<Socket, Promise<PeerProcess[]>>()

/**
 * Notes which process has connected, when it has just done so. The kernel keeps the number of that
 * process only: after its end a person's program can get it, while another process of the agent
 * still holds the connection.
 */
export function notePeer(socket: Socket): void {
  connected.set(socket, unixPeer(socket))
}

/** The origin of the process behind a connection; null if that is not a process of this machine. */
export async function peerOrigin(
  socket: Socket,
  running: RunningAgents,
  firstUnsandboxedAt: number | null = null,
): Promise<{ pid: number; origin: ProcessOrigin } | null> {
  const peers =
    socket.remoteAddress === undefined ? await (connected.get(socket) ?? unixPeer(socket)) : await tcpPeers(socket)
  if (peers === null) return null
  const found = peers.map(peer => ({ pid: peer.pid, origin: originOf(peer, running, firstUnsandboxedAt) }))
  // Several processes may hold one connection: the worst of them counts.
  const worst = ['agent', 'unproven', 'person'].flatMap(kind => found.filter(({ origin }) => origin.kind === kind))
  return worst[0] ?? { pid: 0, origin: { kind: 'unproven', why: 'its process is unknown' } }
}

export function originOf(
  { pid, start }: PeerProcess,
  running: RunningAgents,
  firstUnsandboxedAt: number | null,
): ProcessOrigin {
  const table = process.platform === 'linux' ? null : processList()
  const boot = table ? null : bootTime()
  const factsOf = (id: number) => (table ? (table.get(id) ?? null) : procFacts(id, boot))
  // Every request asks: of a hundred agents nothing is read but their terminals.
  const terminalOf = (id: number) => (table ? table.get(id)?.terminal : terminalNumber(id)) ?? 0
  const chain: ProcessFacts[] = []
  for (let at = pid; at > 0 && chain.length < DEPTH_MAX; at = chain.at(-1)!.parent) {
    const facts = factsOf(at)
    if (!facts) break
    chain.push(facts)
  }
  const agents = running.map(({ name, pid: leader }): AgentProcess => {
    const mark = name.includes('/') ? name : sessionMark(name)
    return { name, pid: leader, terminal: terminalOf(leader), limit: limitMark(mark) }
  })
  const isSame = start === null || startOf(pid) === start
  return judgeOrigin(isSame ? chain : [], { agents, hasLimitMarks: limitMarks(), firstUnsandboxedAt })
}

/** When a process was started, in ticks of the kernel; null where the system does not say. */
function startOf(pid: number): string | null {
  return process.platform === 'linux' ? (statFields(pid)?.[19] ?? 'ended') : null
}

/** A terminal in front of a person: what is written there, no other program can read. */
export interface PersonTerminal {
  path: string
  /** The client of the multiplexer that shows it. */
  client: number
}

/**
 * The terminals of people in which clients of a multiplexer run. A client that an agent started has
 * its mark; one that runs inside of another client or of a server is left out, because an agent can
 * have asked for it, in a terminal that it reads.
 */
export function personTerminals(
  multiplexer: string,
  running: RunningAgents,
  firstUnsandboxedAt: number | null,
): PersonTerminal[] {
  const pids = (entriesOf('/proc') ?? []).filter(name => /^\d+$/.test(name)).map(Number)
  return pids.flatMap(client => {
    if (programOf(client) !== multiplexer) return []
    const terminal = terminalNumber(client) ?? 0
    const path = linkOf(client, '0')
    const isOwn = terminal !== 0 && deviceOf(client, '0') === terminal && /^\/dev\/(pts\/\d+|tty\d+)$/.test(path)
    return isOwn && originOf({ pid: client, start: null }, running, firstUnsandboxedAt).kind === 'person'
      ? [{ path, client }]
      : []
  })
}

/** A program, and its command line. */
export interface CallingProgram {
  program: string
  command: string
}

/**
 * The program behind a connection to the proxy of a sandbox: the one that holds `port` in the
 * sandbox, as the process at the other end of the socket claims, or that process itself. The kernel
 * says whether a program of the sandbox holds that port. Null where it is unknown.
 */
export async function programBehind(socket: Socket, port: number | null): Promise<CallingProgram | null> {
  const [{ pid } = { pid: null }] = await unixPeer(socket)
  if (pid === null) return null
  const held = port === null ? [] : await holdersOf(connectionsOf(pid).filter(({ local }) => local === port))
  const found = held.find(holder => holder !== pid) ?? pid
  const words = (textOf(`/proc/${found}/cmdline`) ?? '').split('\0').filter(word => word !== '')
  const [program = ''] = words
  return program === '' ? null : { program: program.split('/').at(-1)!, command: words.join(' ').slice(0, 2_000) }
}

async function unixPeer(socket: Socket): Promise<PeerProcess[]> {
  const descriptor = (socket as unknown as { _handle?: { fd?: number } | null })._handle?.fd
  const libc = await loadLibc()
  if (!libc || descriptor === undefined || descriptor < 0) return []
  const peer = libc.peerOf(descriptor)
  return peer ? [{ pid: peer.pid, start: startOf(peer.pid) }] : []
}

/** The processes that hold the other end of a loopback connection; null for another machine. */
async function tcpPeers({ remoteAddress = '', remotePort = 0, localPort = 0 }: Socket): Promise<PeerProcess[] | null> {
  if (!/^(::ffff:)?127\.|^::1$/.test(remoteAddress)) return null
  const isOurs = ({ local, remote }: Connection) => local === remotePort && remote === localPort
  const pids =
    process.platform === 'linux' ? await holdersOf(connectionsOf('self').filter(isOurs)) : lsofPeers(remotePort)
  return pids.map(pid => ({ pid, start: null }))
}

interface Connection {
  local: number
  remote: number
  inode: string
}

/** The TCP connections of the network that a process is in. */
function connectionsOf(pid: number | 'self'): Connection[] {
  const port = (address: string | undefined) => Number.parseInt(address?.split(':').at(-1) ?? '', 16)
  return ['tcp', 'tcp6'].flatMap(name =>
    (textOf(`/proc/${pid}/net/${name}`) ?? '').split('\n').flatMap(line => {
      const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/)
      return inode === undefined ? [] : [{ local: port(local), remote: port(remote), inode }]
    }),
  )
}

/** A machine has thousands of open files: other work gets a turn after these many processes. */
const PROCESSES_AT_ONCE = 16

interface HolderSearch {
  /** How `/proc` names the sockets. */
  links: readonly string[]
  found: Set<number>
  done(): void
}

let waiting: HolderSearch[] = []
let isSearching = false

/**
 * The processes that hold these connections. One pass over `/proc` serves all searches that wait
 * for it: a browser opens six connections at once.
 */
async function holdersOf(connections: readonly Connection[]): Promise<number[]> {
  if (connections.length === 0) return []
  const links = connections.map(({ inode }) => `socket:[${inode}]`)
  const found = new Set<number>()
  await new Promise<void>(done => {
    waiting.push({ links, found, done })
    if (!isSearching) void searchHolders()
  })
  return [...found]
}

async function searchHolders(): Promise<void> {
  isSearching = true
  while (waiting.length > 0) {
    const searches = waiting
    waiting = []
    const byLink = new Map<string, HolderSearch[]>()
    for (const search of searches)
      for (const link of search.links) byLink.set(link, [...(byLink.get(link) ?? []), search])
    const pids = (entriesOf('/proc') ?? []).filter(name => /^\d+$/.test(name)).map(Number)
    for (let at = 0; at < pids.length; at += PROCESSES_AT_ONCE) {
      for (const pid of pids.slice(at, at + PROCESSES_AT_ONCE))
        for (const descriptor of entriesOf(`/proc/${pid}/fd`) ?? [])
          for (const search of byLink.get(linkOf(pid, descriptor)) ?? []) search.found.add(pid)
      await new Promise<void>(resolve => setImmediate(resolve))
    }
    for (const search of searches) search.done()
  }
  isSearching = false
}

function lsofPeers(port: number): number[] {
  const { stdout } = spawnSync('lsof', ['-nP', '-t', `-iTCP@127.0.0.1:${port}`, '-sTCP:ESTABLISHED'], {
    encoding: 'utf8',
    timeout: 5_000,
  })
  return (stdout ?? '')
    .split('\n')
    .map(Number)
    .filter(pid => pid > 0 && pid !== process.pid)
}

/** The device number of the controlling terminal of a process. */
function terminalNumber(pid: number): number | null {
  const fields = statFields(pid)
  return fields && Number(fields[4])
}

function procFacts(pid: number, boot: number | null): ProcessFacts | null {
  const fields = statFields(pid)
  if (!fields) return null
  const limit = hardLimitOf(pid)
  return {
    pid,
    parent: Number(fields[1]),
    terminal: Number(fields[4]),
    program: programOf(pid),
    marked: markIn((textOf(`/proc/${pid}/environ`) ?? '').split('\0')),
    limit: limit === usualLimit() ? null : limit,
    startedAt: startTime(fields[19], boot),
    isForeign: ownerOf(pid) !== process.getuid?.(),
  }
}

/** The kernel counts ticks of 10 ms since it started. */
const TICK_MS = 10

function startTime(ticks: string | undefined, boot: number | null): number | null {
  return boot === null || ticks === undefined ? null : boot + Number(ticks) * TICK_MS
}

/** When the system was started; null where it does not say. */
export function bootTime(): number | null {
  const seconds = /^btime (\d+)$/m.exec(textOf('/proc/stat') ?? '')?.[1]
  return seconds === undefined ? null : Number(seconds) * 1000
}

function ownerOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid
}

let usual: bigint | null | undefined

/**
 * The hard limit of this process: an administrator may have set one for all of a user's processes.
 */
function usualLimit(): bigint | null {
  usual ??= isMarked() ? null : hardLimitOf('self')
  return usual
}

/** The file of a program cannot be forged; that of another user's process is hidden. */
function programOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
      .split('/')
      .at(-1)!
      .replace(/ \(deleted\)$/, '')
  } catch {
    return (textOf(`/proc/${pid}/comm`) ?? '').trim()
  }
}

function markIn(environment: readonly string[]): string | null {
  const marks = [`${SESSION_MARK}=`, `${STEP_MARK}=`]
  const found = environment.find(entry => marks.some(mark => entry.startsWith(mark) && entry.length > mark.length))
  return found === undefined ? null : found.slice(found.indexOf('=') + 1)
}

/** Where the system has no /proc, such as macOS. */
function processList(): Map<number, ProcessFacts> {
  const { stdout } = spawnSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,ppid=,tdev=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return new Map(parseParents(stdout ?? '').map(facts => [facts.pid, facts]))
}

/** Lines of `ps -E`: pid, parent, terminal, command line, and the variables of the environment. */
export function parseParents(text: string): ProcessFacts[] {
  return text.split('\n').flatMap(line => {
    const columns = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line)
    if (!columns) return []
    const [, pid, parent, device, rest] = columns as unknown as [string, string, string, string, string]
    const words = rest.split(' ')
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        terminal: /^(\?+|0|-)$/.test(device) ? 0 : Number(device.includes('/') ? device.split('/')[1] : device) || 1,
        program: words[0]!.split('/').at(-1)!,
        marked: markIn(words.slice(1)),
        limit: null,
        startedAt: null,
        isForeign: false,
      },
    ]
  })
}
