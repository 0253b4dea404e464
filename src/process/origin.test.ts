import { describe, expect, it, test } from 'vitest'
import { type AgentProcess, judgeOrigin, type ProcessFacts } from './origin.js'
import { originOf, parseParents } from './peer-origin.js'

const AGENT: AgentProcess = { name: 'ses_a', pid: 50, terminal: 34_820, limit: 7n }
const facts = (pid: number, parent: number, more: Partial<ProcessFacts> = {}): ProcessFacts => ({
  pid,
  parent,
  terminal: 34_817,
  program: 'node',
  marked: null,
  limit: null,
  startedAt: 1_000,
  isForeign: false,
  ...more,
})
const judge = (chain: ProcessFacts[], hasLimitMarks = true, firstUnsandboxedAt: number | null = null) =>
  judgeOrigin(chain, { agents: [AGENT], hasLimitMarks, firstUnsandboxedAt })
const init = facts(1, 0, { program: 'systemd', terminal: 0 })

describe('the origin of a process', () => {
  const shell = facts(20, 1, { program: 'bash' })

  it('is a person in a terminal, and in a script without a terminal', () => {
    expect(judge([facts(30, 20), shell, init])).toEqual({ kind: 'person', program: 'node', hasTerminal: true })
    expect(judge([facts(30, 20, { terminal: 0 }), shell, init])).toMatchObject({ kind: 'person', hasTerminal: false })
  })

  it.runIf(process.platform === 'linux')('is unknown if another process got its number after the connection', () => {
    const ended = { kind: 'unproven', why: 'the process has ended' }
    expect(originOf({ pid: process.pid, start: '1' }, [], null)).toEqual(ended)
    expect(originOf({ pid: process.pid, start: null }, [], null)).not.toEqual(ended)
  })

  it('is an agent if it has a limit mark, whatever its environment, parents and terminal are', () => {
    const orphan = facts(30, 1, { limit: 7n, terminal: 0 })
    expect(judge([orphan, init])).toMatchObject({ kind: 'agent', session: 'ses_a' })
    expect(judge([{ ...orphan, limit: 3n }, init])).toMatchObject({ kind: 'agent', session: null })
  })

  it('is an agent by parent, variable or terminal of a session, also without limit marks', () => {
    expect(judge([facts(30, 50), facts(50, 1), init], false)).toMatchObject({ kind: 'agent', session: 'ses_a' })
    expect(judge([facts(30, 20, { marked: 'ses_b' }), shell], false)).toMatchObject({ session: 'ses_b' })
    expect(judge([facts(30, 20), { ...shell, marked: 'run_a/work@1' }])).toMatchObject({ session: 'run_a' })
    expect(judge([facts(30, 1, { terminal: AGENT.terminal }), init])).toMatchObject({ sign: 'the terminal' })
  })

  it.each([
    ['tmux: server', 'tmux'],
    ['tmux', 'tmux'],
    ['atd', undefined],
    ['cron', undefined],
    ['dockerd', undefined],
  ])('is unproven below %s', (program, multiplexer) => {
    const verdict = judge([facts(30, 20), shell, facts(10, 1, { program, terminal: 0 }), init])
    expect(verdict).toMatchObject({ kind: 'unproven', ...(multiplexer && { multiplexer }) })
  })

  it('is unproven below the user’s service manager, unless in a terminal of the desktop', () => {
    const manager = facts(5, 1, { program: 'systemd', terminal: 0 })
    expect(judge([facts(30, 5, { terminal: 0 }), manager, init])).toMatchObject({ kind: 'unproven' })
    expect(judge([facts(30, 5), manager, init])).toMatchObject({ kind: 'unproven' })
    const terminal = facts(9, 5, { program: 'gnome-terminal-server', terminal: 0 })
    expect(judge([facts(30, 20), { ...shell, parent: 9 }, terminal, manager, init])).toMatchObject({ kind: 'person' })
  })

  it('is unproven for an orphan after the first unsandboxed agent, unless the system started it', () => {
    const orphan = [facts(30, 20), shell, init]
    expect(judge(orphan, true, 2_000)).toMatchObject({ kind: 'person' })
    expect(judge(orphan, true, 500)).toMatchObject({ kind: 'unproven' })
    const login = facts(19, 1, { program: 'sshd', isForeign: true })
    expect(judge([facts(30, 20), { ...shell, parent: 19 }, login, init], true, 500)).toMatchObject({ kind: 'person' })
    expect(judge([facts(30, 0), init], true, 500)).toMatchObject({ kind: 'person' })
  })

  it('is unproven for an ended process, and for an orphan on systems without limit marks', () => {
    expect(judge([])).toMatchObject({ kind: 'unproven' })
    expect(judge([facts(30, 1, { terminal: 0 }), init], false)).toMatchObject({ kind: 'unproven' })
    expect(judge([facts(30, 1, { terminal: 0 }), init])).toMatchObject({ kind: 'person' })
  })
})

test('a macOS process list gives parents, terminals and the session in the environment', () => {
  const list = [
    '  501   1 16/3 /usr/bin/login -fp ada',
    '  502 501 16/3 -zsh HOME=/Users/ada',
    '  600 502 ?? node cli.js approve SIGNALBOX_SESSION=ses_x HOME=/Users/ada',
    'noise',
  ].join('\n')
  expect(parseParents(list)).toMatchObject([
    { pid: 501, parent: 1, terminal: 3, program: 'login', marked: null },
    { pid: 502, parent: 501, terminal: 3, program: '-zsh' },
    { pid: 600, terminal: 0, program: 'node', marked: 'ses_x' },
  ])
})
