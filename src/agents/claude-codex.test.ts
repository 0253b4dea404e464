import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeAgent } from './claude.js'
import { codexAgent } from './codex.js'

const ID = '11111111-2222-3333-4444-555555555555'
const LOCATION = { found: true as const, file: '/node', prefix: ['/cli.js'] }
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-agents-'))
})

afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

function write(path: string, text = '', writtenAt?: Date): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  if (writtenAt) utimesSync(file, writtenAt, writtenAt)
  return file
}

const begin = (args: string[] = [], resume: string | null = null) => ({
  args,
  resume,
  newSessionId: 'new',
  wiring: null,
})

describe('Claude Code', () => {
  test.each([
    [[], null, ['--session-id', 'new'], 'new'],
    [[], ID, ['--resume', ID], ID],
    [['--resume', ID], null, ['--resume', ID], ID],
    [[`--resume=${ID}`], 'other', [`--resume=${ID}`], ID],
    [['--continue'], null, ['--continue'], null],
    [['--resume', ID, '--fork-session'], null, ['--resume', ID, '--fork-session'], null],
    [['mcp', 'list'], null, ['mcp', 'list'], null],
    [['--model', 'x'], null, ['--session-id', 'new', '--model', 'x'], 'new'],
  ])('starts with %j, resuming %j', (args, resume, expected, id) => {
    expect(claudeAgent.interactive(LOCATION, begin(args, resume))).toEqual({
      file: '/node',
      args: ['/cli.js', ...expected],
      env: {},
      agentSessionId: id,
    })
  })

  test('is signed in by a variable or a file, judged only by its name', () => {
    const signIn = (env: Record<string, string>) =>
      claudeAgent.signIn!({ env: { HOME: home, ...env }, cwd: '/', configuredCommand: null })
    if (process.platform !== 'darwin')
      expect(signIn({})).toMatchObject({ state: 'no', next: expect.stringContaining('/login') })
    const state = signIn({ ANTHROPIC_API_KEY: 'sk-ant-secret' })
    expect(state).toEqual({ state: 'yes', because: 'ANTHROPIC_API_KEY is set' })
    write('.claude/.credentials.json', '{"secret":"x"}')
    expect(signIn({})).toMatchObject({ state: 'yes', because: expect.stringContaining('.credentials.json exists') })
    expect(signIn({ CLAUDE_CONFIG_DIR: join(home, 'elsewhere') }).state).not.toBe('yes')
  })

  test('finds its transcript by id in any project, else the newest one of this directory', async () => {
    const lookup = { env: { HOME: home }, cwd: '/home/dev/my.app', startedAt: Date.now() - 60_000 }
    const locate = (agentSessionId: string | null) => claudeAgent.transcript!.locate({ ...lookup, agentSessionId })
    expect(await locate(ID)).toEqual([])
    expect(await locate(null)).toEqual([])
    const own = write(`.claude/projects/-home-dev-my-app/${ID}.jsonl`)
    write('.claude/projects/-home-dev-my-app/agent-1.jsonl')
    write('.claude/projects/-home-dev-my-app/old.jsonl', '', new Date(Date.now() - 3_600_000))
    write('.claude/projects/-other/newer.jsonl')
    expect(await locate(null)).toEqual([own])
    expect(await locate(ID)).toEqual([own])
    const worktree = write('.claude/projects/-home-dev-my-app-worktree/other.jsonl')
    expect(await locate('other')).toEqual([worktree])
  })

  test('reads sub-agents apart from the conversation, and skips whole requests', async () => {
    const said = (uuid: string, text: string) =>
      `${JSON.stringify({ type: 'assistant', uuid, message: { id: uuid, content: [{ type: 'text', text }] } })}\n`
    const main = write(`p/${ID}.jsonl`, `{"type":"api-request-blob", this is not even JSON\n${said('1', 'main')}`)
    const reader = claudeAgent.transcript!.open(main)
    expect(await reader.read()).toMatchObject({ statements: [{ kind: 'said', markdown: 'main' }], skipped: 0 })
    write(`p/${ID}/subagents/agent-a1.jsonl`, said('2', 'helper'))
    const { statements } = await reader.read()
    expect(statements).toMatchObject([{ kind: 'said', markdown: 'helper', subAgent: 'a1' }])
    reader.close()
  })

  test('prints its conversation id on exit', () => {
    expect(claudeAgent.exitId!(['', 'Resume this session with:', `claude --resume ${ID}`])).toBe(ID)
    expect(claudeAgent.exitId!([`claude --permission-mode manual --resume ${ID}`])).toBe(ID)
    expect(claudeAgent.exitId!(['claude --resume name'])).toBeNull()
  })
})

describe('Codex', () => {
  const OURS = ['-c', 'features.daemon_auto_start=false', '--no-alt-screen']

  test.each([
    [[], null, OURS, null],
    [[], ID, [...OURS, 'resume', ID], ID],
    [['resume', ID], null, [...OURS, 'resume', ID], ID],
    [['resume', '--last'], null, [...OURS, 'resume', '--last'], null],
    [['fork', ID], null, [...OURS, 'fork', ID], null],
    [['exec', 'do it'], null, ['exec', 'do it'], null],
    [['--no-alt-screen'], null, [...OURS.slice(0, 2), '--no-alt-screen'], null],
  ])('starts with %j, resuming %j', (args, resume, expected, id) => {
    expect(codexAgent.interactive(LOCATION, begin(args, resume))).toMatchObject({
      args: ['/cli.js', ...expected],
      agentSessionId: id,
    })
  })

  test('gets its hooks on the command line, without a flag that trusts other hooks', () => {
    const wiring = { directory: home, relay: ['/node', '/cli.js', 'hook', 'codex'], mayHold: false }
    const { args } = codexAgent.interactive(LOCATION, { ...begin(), wiring })
    expect(args.some(arg => arg.startsWith('hooks.Stop='))).toBe(true)
    expect(args.join(' ')).not.toContain('bypass')
    expect(codexAgent.interactive(LOCATION, { ...begin(['exec', 'x']), wiring }).args).toEqual(['/cli.js', 'exec', 'x'])
  })

  test('is signed in by its file; with a variable or a provider its state is unknown', () => {
    const signIn = (env: Record<string, string>) =>
      codexAgent.signIn!({ env: { HOME: home, ...env }, cwd: '/', configuredCommand: null })
    expect(signIn({}).state).toBe('no')
    expect(signIn({ OPENAI_API_KEY: 'x' }).state).toBe('unknown')
    write('.codex/config.toml')
    expect(signIn({}).state).toBe('unknown')
    write('.codex/auth.json')
    expect(signIn({}).state).toBe('yes')
  })

  test('finds its rollout by id on any day, else the newest one of these days', async () => {
    const startedAt = Date.parse('2026-11-15T12:00:00Z')
    const locate = (agentSessionId: string | null) =>
      codexAgent.transcript!.locate({ env: { HOME: home }, cwd: '/', agentSessionId, startedAt })
    expect(await locate(null)).toEqual([])
    const day = (date: string, id: string, at: string) =>
      write(`.codex/sessions/${date}/rollout-${date.replaceAll('/', '-')}T00-00-00-${id}.jsonl`, '', new Date(at))
    const long = day('2026/01/02', ID, '2026-01-02T00:00:00Z')
    const here = day('2026/11/15', 'a', '2026-11-15T12:01:00Z')
    const later = day('2026/11/14', 'b', '2026-11-15T12:02:00Z')
    day('2026/11/15', 'c', '2026-11-15T11:00:00Z')
    expect(await locate(null)).toEqual([later, here])
    expect(await locate(ID)).toEqual([long])
  })

  test('prints its conversation id on exit', () => {
    expect(codexAgent.exitId!(['To continue this session, run:', `  codex resume ${ID}`])).toBe(ID)
  })
})
