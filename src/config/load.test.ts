import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { exitCodeOf, SignalboxError } from '../errors/index.js'
import { type Config, type LoadOptions, loadConfig } from './index.js'

let directory: string
let userFile: string
let projectPath: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-config-'))
  userFile = join(directory, 'config.toml')
  projectPath = join(directory, '.signalbox.toml')
})
afterEach(() => rmSync(directory, { recursive: true }))

interface Given extends Partial<LoadOptions> {
  user?: string
  project?: string
  trusted?: boolean
}

function load({ user, project, trusted = true, ...options }: Given = {}) {
  if (user !== undefined) writeFileSync(userFile, user, { mode: 0o600 })
  if (project !== undefined) writeFileSync(projectPath, project)
  return loadConfig({
    environment: {},
    userFile,
    ...(project !== undefined && { projectFile: { path: projectPath, trusted } }),
    ...options,
  })
}

function failure(given: Given): SignalboxError {
  try {
    load(given)
  } catch (error) {
    expect(error).toBeInstanceOf(SignalboxError)
    expect((error as SignalboxError).code).toBe('E_CONFIG')
    expect(exitCodeOf(error)).toBe(6)
    return error as SignalboxError
  }
  throw new Error('expected the settings to be refused')
}

describe('defaults and types of settings', () => {
  test('every setting has its default without a file', () => {
    const { config, notes } = load()
    expect(config.reading.settle_gap_ms).toBe(100)
    expect(config.panes.focus_debounce_s).toBe(0.3)
    expect(config.approvals.expire_after).toBeNull()
    expect(config.heuristics.patterns.interrupt).toContain('esc to interrupt')
    expect(config.agents).toEqual({})
    expect(config.profiles).toEqual({})
    expect(notes).toEqual([])
  })

  test('the type of the config follows from the schema', () => {
    expectTypeOf<Config['reading']['settle_gap_ms']>().toEqualTypeOf<number>()
    expectTypeOf<Config['approvals']['expire_after']>().toEqualTypeOf<number | null>()
    expectTypeOf<Config['heuristics']['mode']>().toEqualTypeOf<'auto' | 'off'>()
    expectTypeOf<Config['approvals']['decide_from']>().toEqualTypeOf<readonly ('cli' | 'web' | 'telegram' | 'api')[]>()
    expectTypeOf<Config['heuristics']['patterns']['prompt']>().toEqualTypeOf<readonly string[]>()
    expectTypeOf<Config['agents'][string]['env']>().toEqualTypeOf<Readonly<Record<string, string>>>()
    expectTypeOf<Config['profiles'][string]['agents'][string]['permissions']>().toEqualTypeOf<
      'all' | 'edits' | 'ask' | 'read' | null
    >()
  })

  test('the config cannot be changed', () => {
    const { config } = load({ user: '[agents.x]\nargs = ["a"]' })
    expect(() => Object.assign(config.terminal, { scrollback: 1 })).toThrow()
    expect(() => (config.agents.x!.args as string[]).push('b')).toThrow()
  })
})

describe('precedence of settings', () => {
  test('flags override environment, project, user and default, in this order', () => {
    const sources = {
      user: '[panes]\nlong_after_s = 10\nstuck_after_s = 10\nstuck_tool_s = 10\nquiet_run_s = 1',
      project: '[panes]\nlong_after_s = 20\nstuck_after_s = 20\nstuck_tool_s = 20',
      environment: { SIGNALBOX_PANES_LONG_AFTER_S: '30', SIGNALBOX_PANES_STUCK_AFTER_S: '30' },
      flags: { 'panes.long_after_s': '40', 'panes.dismiss_s': undefined },
    }
    const { config, origin } = load(sources)
    expect(config.panes).toMatchObject({
      long_after_s: 40,
      stuck_after_s: 30,
      stuck_tool_s: 20,
      quiet_run_s: 1,
      dismiss_s: 60,
    })
    expect(origin('panes.long_after_s')).toEqual({ source: 'flag', place: 'panes.long_after_s' })
    expect(origin('panes.stuck_after_s')).toEqual({ source: 'env', place: 'SIGNALBOX_PANES_STUCK_AFTER_S' })
    expect(origin('panes.stuck_tool_s')).toEqual({ source: 'project', place: `${projectPath}:4:1` })
    expect(origin('panes.quiet_run_s')).toEqual({ source: 'user', place: `${userFile}:5:1` })
    expect(origin('panes.dismiss_s')).toEqual({ source: 'default' })
  })

  test('durations may be text, and are returned in the unit of their key', () => {
    const user =
      'reading.settle_max_ms = "2s"\nsessions.silence_warning_min = "1h"\napprovals.grant_for = "10m"\nfiles.keep_h = 48'
    const { config } = load({ user })
    expect([
      config.reading.settle_max_ms,
      config.sessions.silence_warning_min,
      config.approvals.grant_for,
      config.files.keep_h,
    ]).toEqual([2000, 60, 600, 48])
  })

  test('variables can have every type', () => {
    const { config } = load({
      environment: {
        SIGNALBOX_NOTIFY_ENABLED: 'off',
        SIGNALBOX_ENV_PASS: 'A, B_*',
        SIGNALBOX_PROJECTS_ROOTS: '["/a,b", "/c"]',
        SIGNALBOX_APPROVALS_EXPIRE_AFTER: '2h',
        SIGNALBOX_RUNS_DAY_USD: '2.5',
        SIGNALBOX_HEURISTICS_MODE: 'off',
        SIGNALBOX_TELEGRAM_TOKEN: '123:abc',
        SIGNALBOX_SERVER_PORT: '',
        SIGNALBOX_HOME: '/x',
      },
    })
    expect(config.notify.enabled).toBe(false)
    expect(config.env.pass).toEqual(['A', 'B_*'])
    expect(config.projects.roots).toEqual(['/a,b', '/c'])
    expect(config.approvals.expire_after).toBe(7200)
    expect(config.runs.day_usd).toBe(2.5)
    expect(config.heuristics.mode).toBe('off')
    expect(config.telegram.token).toBe('123:abc')
    expect(config.server.port).toBe(0)
  })

  test('entries with chosen names are complete, and unusual names are kept', () => {
    const { config } = load({
      user: '[agents.claude]\ncommand = "/opt/claude"\n[agents.constructor]\nargs = []\n[profiles.work.agents.developer]\nmodel = "m"',
    })
    expect(config.agents.claude).toEqual({
      command: '/opt/claude',
      args: [],
      env: {},
      max_parallel: null,
      hooks: true,
      heuristics: 'inherit',
    })
    expect(Object.keys(config.agents)).toEqual(['claude', 'constructor'])
    expect(config.agents.toString).toBeUndefined()
    expect(config.profiles.work!.commit_prefix).toBe('feat')
    expect(config.profiles.work!.budget.run_usd).toBeNull()
    expect(config.profiles.work!.agents.developer!.model).toBe('m')
    expect(load({ user: '[profiles.p]\ncommit_plan = false' }).config.profiles.p!.agents).toEqual({})
  })
})

describe('mistakes in settings', () => {
  test.each([
    [
      'a misspelt section',
      '\n[readng]\nsettle_gap_ms = 30',
      ':3:1: unknown key `readng.settle_gap_ms`; did you mean `reading.settle_gap_ms`?',
    ],
    [
      'a misspelt key',
      '[sessions]\n  max_totl = 3',
      ':2:3: unknown key `sessions.max_totl`; did you mean `sessions.max_total`?',
    ],
    [
      'a forgotten section',
      'settle_gap_ms = 30',
      ':1:1: unknown key `settle_gap_ms`; did you mean `reading.settle_gap_ms`?',
    ],
    [
      'a misspelt key of an agent',
      '[agents.x]\ncomand = "y"',
      ':2:1: unknown key `agents.x.comand`; did you mean `agents.x.command`?',
    ],
    ['an unknown empty section', '[zzz]', ':1:2: unknown key `zzz`'],
    ['a section as a value', 'terminal = 3', ':1:1: `terminal` is a section: write [terminal]'],
    [
      'a wrong type',
      '[reading]\nsettle_gap_ms = "fast"',
      ':2:1: `reading.settle_gap_ms` must be a duration in ms from 10 to 5000, or text such as "90s"; found the text "fast"',
    ],
    [
      'a number out of range',
      'server.port = 70000',
      ':1:1: `server.port` must be an integer from 0 to 65535; found the number 70000',
    ],
    ['a negative budget', 'runs.day_usd = -1', 'must be a number of 0 or more, or "none"; found the number -1'],
    ['a broken number', 'server.port = 1.5', 'found the number 1.5'],
    [
      'a wrong word',
      'heuristics.mode = "of"',
      'must be one of "auto", "off"; found the text "of"; did you mean "off"?',
    ],
    ['a wrong list', 'env.pass = ["OK", 3]', 'found a list with the number 3'],
    ['a wrong item', 'approvals.decide_from = ["cli", "wbe"]', 'found a list with the text "wbe"; did you mean "web"?'],
    ['a wrong form', 'terminal.size = "80"', 'columns x rows'],
    ['a date', 'notify.quiet = 2020-01-01', 'found a date'],
    ['a table for a boolean', 'notify.enabled = { a = 1 }', 'must be true or false; found a table'],
    ['an invalid name', '[agents."../x"]\ncommand = "y"', '"../x" cannot be a name'],
    [
      'a token in the file',
      'telegram.token = "123:abc"',
      'does not belong into a file: set SIGNALBOX_TELEGRAM_TOKEN, or `telegram.token_file`',
    ],
    ['broken TOML', '[terminal\nscrollback = 300', ':1:'],
  ])('%s is reported with its place and a suggestion', (_, user, message) => {
    const error = failure({ user })
    expect(error.message).toContain(`${userFile}:`)
    expect(error.message).toContain(message)
    expect(error.message.split('\n')).toHaveLength(1)
    expect(error.place).toMatchObject({ file: userFile })
  })

  test('several mistakes are reported at once', () => {
    const error = failure({
      user: 'a = 1\nreading.settle_gap_ms = 0',
      project: 'server.port = 1',
      environment: { SIGNALBOX_SERVER_PORT: 'x', SIGNALBOX_NOTIFY_DONE: 'maybe' },
      flags: { 'panes.poll_s': 'never', 'no.such': 1, 'telegram.token': 'x' },
    })
    expect(error.message.split('\n')).toHaveLength(9)
    expect(error.message).toContain('8 problems in the settings:')
    expect(error.message).toContain('SIGNALBOX_SERVER_PORT: `server.port` must be an integer')
    expect(error.message).toContain('`telegram.token` is a secret and cannot be a flag: set SIGNALBOX_TELEGRAM_TOKEN')
    expect(error.details!.problems).toHaveLength(8)
  })

  test('a secret is not repeated in an error', () => {
    expect(failure({ user: '[agents.x]\nenv = { A = 1, B = "canary" }' }).message).not.toContain('canary')
    expect(failure({ user: '[agents.x]\nenv = 12345678' }).message).not.toContain('12345678')
  })

  test('an unreadable file is reported in one line', () => {
    expect(failure({ userFile: directory }).message).toBe(`${directory}: the file cannot be read (EISDIR)`)
    writeFileSync(userFile, Buffer.from([0xff, 0xfe]))
    expect(failure({}).message).toBe(`${userFile}: the file is not UTF-8`)
    writeFileSync(userFile, '#'.repeat(1_048_577))
    expect(failure({}).message).toContain('larger than 1048576 bytes')
  })

  test('a misspelt variable gives a note, unlike our variables for processes', () => {
    const { notes } = load({
      environment: {
        SIGNALBOX_TERMNAL_SIZE: '1',
        SIGNALBOX_SESSION: 'ses_1',
        SIGNALBOX_CTX_A: '1',
        SIGNALBOX_ZZZ: '1',
      },
    })
    expect(notes).toEqual([
      'The variable SIGNALBOX_TERMNAL_SIZE is not a setting and was ignored; did you mean SIGNALBOX_TERMINAL_SIZE?',
    ])
  })

  test('any content of a file gives a config or E_CONFIG', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom(
        '[terminal]',
        '[[panes]]',
        '[agents.x]',
        'scrollback = 300',
        'a = { b = [',
        '"__proto__" = 1',
        '[__proto__]',
        'terminal.size = ""',
      ),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), lines => {
        try {
          load({ user: lines.join('\n') })
        } catch (error) {
          expect((error as SignalboxError).code).toBe('E_CONFIG')
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('a project file', () => {
  test('is not read before it is trusted', () => {
    const { config, notes } = load({ project: 'this is [ no TOML', trusted: false })
    expect(config.terminal.size).toBe('120x40')
    expect(notes).toEqual([`${projectPath} was ignored: the project is not trusted.`])
  })

  test('may set its own settings, and may narrow others', () => {
    const { config } = load({
      user: 'approvals.grant_uses = 10',
      project: [
        'oneshot.model = "small"',
        'approvals.grant_uses = 5',
        'approvals.decide_from = ["web"]',
        'approvals.step_up = "on"',
        'approvals.expire_after = "1h"',
        'heuristics.mode = "off"',
        'hooks.enabled = false',
        'oneshot.permissions = "read"',
        'oneshot.inactivity_threshold = 60',
      ].join('\n'),
    })
    expect(config.oneshot.model).toBe('small')
    expect(config.approvals).toMatchObject({ grant_uses: 5, decide_from: ['web'], step_up: 'on', expire_after: 3600 })
    expect(config.hooks.enabled).toBe(false)
    expect(config.oneshot.permissions).toBe('read')
  })

  test.each([
    ['approvals.grant_uses = 11', 'may only lower it: `approvals.grant_uses` is 10, the project wants 11'],
    ['approvals.decide_from = ["web", "api"]', 'may only leave items out'],
    ['approvals.step_up = "off"', 'may only choose a narrower one of off > auto > on'],
    ['hooks.enabled = true', 'may only turn it off'],
    ['oneshot.permissions = "edits"', 'may only choose a narrower one'],
    ['oneshot.inactivity_threshold = 0', 'may only lower it'],
    ['server.bind = "0.0.0.0"', 'a project file may not set `server.bind`'],
    ['env.pass = ["AWS_SECRET_ACCESS_KEY"]', 'may not set `env.pass`'],
    ['agents.claude.command = "./evil"', 'may not set `agents.claude.command`'],
    ['agents.claude.env = { ANTHROPIC_BASE_URL = "http://evil" }', 'may not set `agents.claude.env`'],
    ['telegram.api_root = "http://evil"', 'may not set `telegram.api_root`'],
    ['oneshot.endpoint = "http://evil"', 'may not set `oneshot.endpoint`'],
    ['store.min_free_mb = 0', 'may not set `store.min_free_mb`'],
  ])('may not widen a setting: %s', (project, message) => {
    const user = 'approvals.grant_uses = 10\napprovals.decide_from = ["web", "cli"]\nhooks.enabled = false'
    expect(failure({ user, project }).message).toContain(`${projectPath}:1:1: a project file`)
    expect(failure({ user, project }).message).toContain(message)
  })
})

describe('the listing of settings', () => {
  test('has every setting with value and origin, and shows secrets as set or unset', () => {
    const { entries } = load({
      user: '[agents.x]\nenv = { K = "canary" }\nargs = ["a"]\n[agents.y]\nhooks = false',
      environment: { SIGNALBOX_TELEGRAM_TOKEN: 'canary' },
    })
    const shown = Object.fromEntries(entries().map(entry => [entry.key, `${entry.shown} (${entry.origin.source})`]))
    expect(shown).toMatchObject({
      'telegram.token': 'set (env)',
      'agents.x.env': 'set (user)',
      'agents.y.env': 'unset (default)',
      'agents.x.args': '["a"] (user)',
      'terminal.size': '"120x40" (default)',
      'approvals.expire_after': 'none (default)',
    })
    expect(JSON.stringify(entries())).not.toContain('canary')
  })

  test('notes a file with a secret that others can read', () => {
    writeFileSync(userFile, '[agents.x]\nenv = { K = "v" }')
    chmodSync(userFile, 0o644)
    expect(load().notes).toEqual([`${userFile} holds a secret and can be read by others: run chmod 600 on it.`])
    chmodSync(userFile, 0o600)
    expect(load().notes).toEqual([])
  })
})
