/*
 * Whose process is it: an agent's, or a person's?
 *
 * Agents and people are the same user to the kernel, so a file or a socket mode cannot tell them
 * apart. A hard limit can: every process of a session or a step inherits it (limit-mark.ts), and
 * only root can raise it again. It stays through fork, exec, setsid, a cleared environment, and the
 * death of all parents. So a process with it belongs to an agent, whatever else it looks like.
 *
 * The reverse does not hold. A program that ran before may start something on an agent's behalf:
 * tmux, at, cron, the user's systemd, a container engine. Such a process has no mark. It is
 * *unproven*: a person may have started it just as well, and must prove it in another way.
 *
 * The other signs (a variable in the environment of a process or its parents, a session's terminal,
 * a session's process among the parents) are for systems without limit marks, and for root.
 */

/** What is known about one process. */
export interface ProcessFacts {
  pid: number
  parent: number
  /** The device number of its controlling terminal; 0 without one. */
  terminal: number
  /** The name of its program. */
  program: string
  /** The session or step that its environment named when it was started. */
  marked: string | null
  /** The hard limit that marks processes of agents; null if it is unlimited, as usual. */
  limit: bigint | null
  /** When it was started; null where the system does not say. */
  startedAt: number | null
  /** It belongs to another user, such as a login of the system. */
  isForeign: boolean
}

export type ProcessOrigin =
  /** `session`: which one, as far as known. `sign`: how it was recognised. */
  | { kind: 'agent'; session: string | null; sign: string }
  /** `multiplexer`: it runs in tmux or the like, with a terminal. */
  | { kind: 'unproven'; why: string; multiplexer?: string }
  | { kind: 'person'; program: string; hasTerminal: boolean }

/** A session or a step that runs. */
export interface AgentProcess {
  /** The id of the session, or the name of the step. */
  name: string
  pid: number
  terminal: number
  /** Its limit mark. */
  limit: bigint
}

/** Programs that start others on request of any process of the user. */
const BROKERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tmux: 'tmux, into which any process can type',
    'tmux: server': 'tmux, into which any process can type',
    screen: 'screen, into which any process can type',
    zellij: 'zellij, into which any process can type',
    atd: 'at',
    cron: 'cron',
    crond: 'cron',
    anacron: 'cron',
    systemd: 'the service manager of the user (systemd)',
    'dbus-daemon': 'D-Bus',
    'dbus-broker': 'D-Bus',
    dockerd: 'docker',
    'containerd-shim': 'docker',
    'containerd-shim-runc-v2': 'docker',
    conmon: 'podman',
  }),
)

/** The name of a server's process, and that of its program. */
const MULTIPLEXERS: ReadonlyMap<string, string> = new Map([
  ['tmux', 'tmux'],
  ['tmux: server', 'tmux'],
  ['screen', 'screen'],
  ['zellij', 'zellij'],
])

/**
 * Terminals and logins that the service manager of a desktop starts. A person sits in front of
 * them.
 */
const TERMINALS = new Set([
  ...['gnome-terminal-server', 'gnome-terminal-', 'ptyxis-agent', 'kgx', 'konsole', 'xfce4-terminal', 'xterm', 'kitty'],
  ...['alacritty', 'wezterm-gui', 'foot', 'ghostty', 'terminator', 'tilix', 'code', 'cursor', 'sshd', 'sshd-session'],
])

interface JudgeOptions {
  agents: readonly AgentProcess[]
  /** This system marks the processes of agents. */
  hasLimitMarks: boolean
  /** When the first agent outside a sandbox was started since the system started; null: none. */
  firstUnsandboxedAt: number | null
}

/** Judges a process by itself and its parents, the nearest first. */
export function judgeOrigin(
  chain: readonly ProcessFacts[],
  { agents, hasLimitMarks, firstUnsandboxedAt }: JudgeOptions,
): ProcessOrigin {
  const [first] = chain
  if (!first) return { kind: 'unproven', why: 'the process has ended' }
  const agent = agentOf(chain, agents)
  if (agent) return agent
  const hasTerminal = first.terminal !== 0
  const parents = chain.slice(1).filter(({ pid }) => pid !== 1)
  const at = parents.findIndex(({ program }) => BROKERS.has(program))
  if (at >= 0) {
    const { program } = parents[at]!
    const isDesktop = program === 'systemd' && parents.slice(0, at).some(found => TERMINALS.has(found.program))
    const multiplexer = hasTerminal ? MULTIPLEXERS.get(program) : undefined
    if (!isDesktop || !hasTerminal)
      return {
        kind: 'unproven',
        why: `it was started by ${BROKERS.get(program)!}`,
        ...(multiplexer !== undefined && { multiplexer }),
      }
  }
  if (!hasLimitMarks && parents.length === 0 && !hasTerminal)
    return { kind: 'unproven', why: 'it has neither a parent nor a terminal' }
  if (isLateOrphan(chain, firstUnsandboxedAt)) return { kind: 'unproven', why: 'the program that started it has ended' }
  return { kind: 'person', program: first.program, hasTerminal }
}

/**
 * Whether the starter of the process is unknown: the program that started its oldest parent has
 * ended, and that parent started after the first agent. Below tmux or `at`, a process can become
 * such an orphan on purpose. Processes that the system itself started belong to another user.
 */
function isLateOrphan(chain: readonly ProcessFacts[], firstUnsandboxedAt: number | null): boolean {
  const top = chain.findLast(({ pid }) => pid !== 1)
  if (top?.parent !== 1 || top.isForeign || firstUnsandboxedAt === null || top.startedAt === null) return false
  return top.startedAt >= firstUnsandboxedAt && !TERMINALS.has(top.program)
}

function agentOf(chain: readonly ProcessFacts[], agents: readonly AgentProcess[]): ProcessOrigin | null {
  // The name of a step or of a terminal begins with its run or session.
  const found = (name: string | null, sign: string): ProcessOrigin => ({
    kind: 'agent',
    session: name?.split('/')[0] ?? null,
    sign,
  })
  for (const [distance, { pid, terminal, marked, limit }] of chain.entries()) {
    const where = distance === 0 ? '' : ' of a parent'
    const named = marked?.split('/')[0] ?? null
    if (limit !== null)
      return found(agents.find(agent => agent.limit === limit)?.name ?? named, `the mark of its limits${where}`)
    if (named !== null) return found(named, `the environment${where}`)
    const parent = agents.find(agent => agent.pid === pid)
    if (parent) return found(parent.name, 'its parents')
    const shared = terminal === 0 ? undefined : agents.find(agent => agent.terminal === terminal)
    if (shared) return found(shared.name, `the terminal${where}`)
  }
  return null
}
