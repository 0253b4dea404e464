import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { codexHookArguments, codexHooks } from './codex-hooks.js'

const WIRING = { directory: '/dir', relay: ['/node', '/cli.js', 'hook', 'codex'], mayHold: true }
/**
 * `currentHash` from `hooks/list` of 0.166.0 for the command "/tmp/relay.sh Stop" with a timeout of
 * three seconds.
 */
const KNOWN_STOP = 'sha256:a8fb933dc2d7007e3d99dca47daf6ef2b571b5e3262761fa448c2ebebe1592ac'

/** What Codex parses from `-c key=value` overrides. */
function overrides(args: readonly string[]) {
  expect(args.filter((_, index) => index % 2 === 0)).toEqual(Array(args.length / 2).fill('-c'))
  return parse(args.filter((_, index) => index % 2 === 1).join('\n')) as {
    hooks: Record<string, [{ hooks: [{ type: string; command: string; timeout: number }] }]> & {
      state: Record<string, { trusted_hash: string }>
    }
  }
}

describe('the hook arguments of Codex', () => {
  test('call the relay and never hold the agent', () => {
    const { hooks } = overrides(codexHookArguments(WIRING))
    expect(hooks.PermissionRequest).toEqual([
      { hooks: [{ type: 'command', command: '/node /cli.js hook codex PermissionRequest', timeout: 3 }] },
    ])
    expect(JSON.stringify(hooks)).not.toContain('--hold')
  })

  test('trust each hook by a hash of its content', () => {
    const { state, ...hooks } = overrides(codexHookArguments(WIRING)).hooks
    const keys = Object.keys(state)
    expect(keys).toHaveLength(Object.keys(hooks).length)
    expect(keys).toContain('/<session-flags>/config.toml:user_prompt_submit:0:0')
    expect(new Set(Object.values(state).map(each => each.trusted_hash)).size).toBe(keys.length)

    const known = overrides(codexHookArguments({ ...WIRING, relay: ['/tmp/relay.sh'] })).hooks.state
    expect(known['/<session-flags>/config.toml:stop:0:0']!.trusted_hash).toBe(KNOWN_STOP)
  })

  test('quote words with quotes, spaces and backslashes', () => {
    const { hooks } = overrides(codexHookArguments({ ...WIRING, relay: ['/a "b"\\c/no\u007fde', "it's"] }))
    expect(hooks.Stop![0].hooks[0].command).toBe(`'/a "b"\\c/no\u007fde' 'it'\\''s' Stop`)
  })
})

describe('a hook call of Codex', () => {
  const tool = { tool_name: 'Bash', tool_input: { command: 'ls' }, turn_id: 't', tool_use_id: 'k' }

  test.each([
    [
      'SessionStart',
      { session_id: 's', transcript_path: '/t', cwd: '/c', model: 'm', source: 'resume' },
      [{ kind: 'session', agentSession: 's', transcript: '/t', cwd: '/c', model: 'm' }],
    ],
    ['UserPromptSubmit', { prompt: 'do it', turn_id: 't' }, [{ kind: 'prompt', text: 'do it', prompt: 't' }]],
    [
      'PreToolUse',
      tool,
      [{ kind: 'tool', state: 'started', key: 'k', tool: 'Bash', input: { command: 'ls' }, prompt: 't' }],
    ],
    [
      'PostToolUse',
      { ...tool, tool_response: 'out' },
      [{ kind: 'tool', state: 'done', key: 'k', tool: 'Bash', input: { command: 'ls' }, prompt: 't', output: 'out' }],
    ],
    [
      'PermissionRequest',
      { ...tool, tool_use_id: undefined },
      [{ kind: 'request', key: null, tool: 'Bash', input: { command: 'ls' }, prompt: 't' }],
    ],
    ['Stop', { last_assistant_message: 'Done.' }, [{ kind: 'turn-ended', outcome: 'done', text: 'Done.' }]],
    ['Interrupt', {}, [{ kind: 'turn-ended', outcome: 'interrupted' }]],
    ['SubagentStop', { agent_id: 'a' }, [{ kind: 'turn-ended', outcome: 'done', subAgent: 'a' }]],
    ['SessionEnd', { reason: 'other' }, [{ kind: 'ended', reason: 'other' }]],
    ['PreCompact', {}, []],
  ])('is translated: %s', (name, payload, expected) => {
    expect(codexHooks.read(name, payload)).toEqual(expected)
  })

  test('is refused with a malformed payload, and never gets an answer', () => {
    expect(() => codexHooks.read('PreToolUse', {})).toThrow(expect.objectContaining({ code: 'E_INPUT' }))
    expect(codexHooks.holds).toBe(false)
    expect(codexHooks.answer).toBeUndefined()
  })
})
