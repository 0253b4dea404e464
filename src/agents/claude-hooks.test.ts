import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claudeAgent } from './claude.js'
import { claudeHooks, wireClaudeHooks } from './claude-hooks.js'

const LOCATION = { found: true as const, file: '/bin/claude', prefix: [] }
let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-claude-'))
})

afterEach(() => {
  rmSync(directory, { recursive: true, force: true })
})

const wiring = (mayHold: boolean) => ({ directory, relay: ['/node', '/a b/cli.js', 'hook', 'claude'], mayHold })

function settings(mayHold: boolean) {
  const file = wireClaudeHooks(wiring(mayHold))
  const { hooks } = JSON.parse(readFileSync(file, 'utf8')) as {
    hooks: Record<string, [{ matcher?: string; hooks: [{ command: string; timeout: number }] }]>
  }
  return { file, hooks }
}

describe('the settings file of a session', () => {
  test('is readable by its owner alone, and quotes every word of the relay command', () => {
    const { file, hooks } = settings(true)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(hooks.Stop![0].hooks[0].command).toBe("/node '/a b/cli.js' hook claude Stop")
    expect(hooks.PreToolUse![0].matcher).toBe('*')
    expect(hooks.Stop![0].matcher).toBeUndefined()
  })

  test('holds only permission requests, for a day, and only if holding is allowed', () => {
    const { hooks } = settings(true)
    expect(hooks.PermissionRequest![0].hooks[0]).toMatchObject({
      command: expect.stringMatching(/ PermissionRequest --hold$/),
      timeout: 86_400,
    })
    const others = Object.entries(hooks).filter(([event]) => event !== 'PermissionRequest')
    for (const [, [group]] of others) expect(group.hooks[0].timeout).toBe(10)
    expect(JSON.stringify(others)).not.toContain('--hold')
    expect(JSON.stringify(settings(false).hooks)).not.toContain('--hold')
  })

  test('is passed on the command line, unless the person passes their own settings', () => {
    const start = { resume: null, newSessionId: 'new-id', wiring: wiring(true) }
    const ours = claudeAgent.interactive(LOCATION, { ...start, args: ['--model', 'x'] })
    expect(ours.args).toEqual([
      '--session-id',
      'new-id',
      '--settings',
      join(directory, 'claude-settings.json'),
      '--model',
      'x',
    ])
    for (const args of [['--settings', '/own.json'], ['--settings=/own.json']])
      expect(claudeAgent.interactive(LOCATION, { ...start, args }).args).toEqual(['--session-id', 'new-id', ...args])
  })
})

describe('a hook call of Claude Code', () => {
  const tool = { tool_name: 'Bash', tool_input: { command: 'ls' }, prompt_id: 'p' }

  test.each([
    [
      'SessionStart',
      { session_id: 's', transcript_path: '/t', cwd: '/c', model: 'm' },
      [{ kind: 'session', agentSession: 's', transcript: '/t', cwd: '/c', model: 'm' }],
    ],
    ['UserPromptSubmit', { prompt: 'do it', prompt_id: 'p' }, [{ kind: 'prompt', text: 'do it', prompt: 'p' }]],
    [
      'PreToolUse',
      { ...tool, tool_use_id: 'k' },
      [{ kind: 'tool', state: 'started', key: 'k', tool: 'Bash', input: { command: 'ls' }, prompt: 'p' }],
    ],
    [
      'PostToolUse',
      { ...tool, tool_use_id: 'k', tool_response: { stdout: 'a\n', stderr: 'b' } },
      [
        {
          kind: 'tool',
          state: 'done',
          key: 'k',
          tool: 'Bash',
          input: { command: 'ls' },
          prompt: 'p',
          output: 'a\n\nb',
        },
      ],
    ],
    [
      'PermissionRequest',
      { ...tool, permission_suggestions: [{ type: 'addRules' }] },
      [
        {
          kind: 'request',
          key: null,
          tool: 'Bash',
          input: { command: 'ls' },
          prompt: 'p',
          suggestions: [{ type: 'addRules' }],
        },
      ],
    ],
    [
      'Notification',
      { notification_type: 'permission_prompt', message: 'Claude needs you' },
      [{ kind: 'waiting', waitsFor: 'permission', text: 'Claude needs you' }],
    ],
    ['Notification', { notification_type: 'auth_success' }, []],
    ['Notification', { notification_type: 'constructor' }, []],
    [
      'Stop',
      { last_assistant_message: 'Done.', background_tasks: [{}] },
      [{ kind: 'turn-ended', outcome: 'done', text: 'Done.', background: 1 }],
    ],
    ['StopFailure', { error: 'rate_limit' }, [{ kind: 'turn-ended', outcome: 'failed', text: 'rate_limit' }]],
    ['SubagentStart', { agent_id: 'a' }, [{ kind: 'working', subAgent: 'a' }]],
    ['SubagentStop', { agent_id: 'a' }, [{ kind: 'turn-ended', outcome: 'done', subAgent: 'a' }]],
    ['SessionEnd', { reason: 'prompt_input_exit' }, [{ kind: 'ended', reason: 'prompt_input_exit' }]],
    ['SessionEnd', { reason: 'clear' }, []],
    ['FileChanged', { anything: 1 }, []],
  ])('is translated: %s', (event, payload, expected) => {
    expect(claudeHooks.read(event, payload)).toEqual(expected)
  })

  test('can only be answered on the screen if it is a form', () => {
    for (const tool_name of ['AskUserQuestion', 'ExitPlanMode'])
      expect(claudeHooks.read('PermissionRequest', { tool_name, tool_input: {} })).toMatchObject([{ viaScreen: true }])
    expect(claudeHooks.read('PermissionRequest', tool)[0]).not.toHaveProperty('viaScreen')
  })

  test('is marked if it comes from a sub-agent', () => {
    expect(claudeHooks.read('PreToolUse', { ...tool, agent_id: 'a' })).toMatchObject([{ kind: 'tool', subAgent: 'a' }])
  })

  test.each([
    ['SessionStart', {}],
    ['PreToolUse', { tool_input: {} }],
    ['UserPromptSubmit', { prompt: 5 }],
  ])('is refused with a malformed %s payload', (event, payload) => {
    expect(() => claudeHooks.read(event, payload)).toThrow(expect.objectContaining({ code: 'E_INPUT' }))
  })
})

describe('the answer to a held request', () => {
  const decision = (answer: Parameters<NonNullable<typeof claudeHooks.answer>>[0]) => {
    const text = claudeHooks.answer!(answer)
    if (text === null) return null
    const { hookSpecificOutput } = JSON.parse(text) as {
      hookSpecificOutput: { hookEventName: string; decision: unknown }
    }
    expect(hookSpecificOutput.hookEventName).toBe('PermissionRequest')
    return hookSpecificOutput.decision
  }

  test('is allow or deny, never ask', () => {
    expect(decision({ behavior: 'allow' })).toEqual({ behavior: 'allow' })
    expect(decision({ behavior: 'deny' })).toEqual({ behavior: 'deny', interrupt: true })
    expect(decision({ behavior: 'deny', message: 'not on main' })).toEqual({ behavior: 'deny', message: 'not on main' })
  })

  test('carries an edited input, and a rule limited to the session', () => {
    const rule = { type: 'addRules', rules: [], behavior: 'allow', destination: 'userSettings' }
    expect(decision({ behavior: 'allow', updatedInput: { command: 'ls' }, sessionRule: rule })).toEqual({
      behavior: 'allow',
      updatedInput: { command: 'ls' },
      updatedPermissions: [{ ...rule, destination: 'session' }],
    })
    expect(rule.destination).toBe('userSettings')
  })

  test('is null if the decision cannot be expressed', () => {
    expect(decision({ behavior: 'allow', sessionRule: 'all' })).toBeNull()
    expect(decision({ behavior: 'allow', updatedInput: 'rm -rf' })).toBeNull()
  })
})
