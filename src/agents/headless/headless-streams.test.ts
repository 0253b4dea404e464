import { describe, expect, test } from 'vitest'
import { type ActivityBody, JsonSplitter } from '../../activity/index.js'
import { loadAgent } from '../registry.js'
import { DirectStream } from './direct-stream.js'
import type { HeadlessStep, PermissionLevel } from './headless.js'

const FOUND = { found: true as const, file: '/bin/agent', prefix: [] }

function step(changes: Partial<HeadlessStep> = {}): HeadlessStep {
  return {
    name: 'run_1/worker@1#1',
    cwd: '/work',
    env: {},
    permissions: 'edits',
    model: null,
    resume: null,
    newSessionId: 'new-id',
    directory: '/steps/1',
    promptFile: '/steps/1/prompt.md',
    schema: null,
    maxCostUsd: null,
    endpoint: null,
    apiKeyEnv: null,
    ...changes,
  }
}

async function parse(agent: string, records: (object | string)[], changes: Partial<HeadlessStep> = {}) {
  const { headless } = await loadAgent(agent)
  const parser = headless!.parser(step(changes))
  const splitter = new JsonSplitter()
  const text = records.map(record => (typeof record === 'string' ? record : JSON.stringify(record))).join('\n')
  const parts = [...splitter.push(`${text}\n`), ...splitter.end()]
  return [...parts.flatMap(part => parser.parse(part)), ...(parser.end?.() ?? [])]
}

const kinds = (bodies: readonly ActivityBody[]) => bodies.map(({ type }) => type)

describe('the parser of claude', () => {
  const message = (content: object[], more: object = {}) => ({
    type: 'assistant',
    message: { id: 'm1', content },
    parent_tool_use_id: null,
    ...more,
  })
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'Done.', total_cost_usd: 0.02 }

  test('parses texts, thoughts, tools and the result', async () => {
    const bodies = await parse('claude', [
      { type: 'system', subtype: 'init', session_id: 's', model: 'm', cwd: '/work' },
      { type: 'system', subtype: 'init', session_id: 's' },
      message([{ type: 'thinking', thinking: 'hm' }]),
      message([{ type: 'text', text: 'Running.' }]),
      message([{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }]),
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'a\n' }] }] },
      },
      { ...result, modelUsage: { a: { inputTokens: 10, outputTokens: 2 }, b: { inputTokens: 5, outputTokens: 1 } } },
    ])
    expect(bodies).toEqual([
      { type: 'session', sessionId: 's', model: 'm', cwd: '/work' },
      { type: 'thought', text: 'hm', delta: false, block: 'm1/0' },
      { type: 'text', text: 'Running.', delta: false, block: 'm1/1' },
      { type: 'tool_call', callId: 't1', tool: 'Bash', kind: 'shell', input: { command: 'ls' } },
      { type: 'tool_result', callId: 't1', ok: true, output: 'a\n' },
      { type: 'usage', scope: 'run', input: 15, output: 3, cacheRead: 0, cacheWrite: 0, costUsd: 0.02 },
      { type: 'result', ok: true, reason: 'success', text: 'Done.' },
    ])
  })

  test('links deltas to the block that they belong to', async () => {
    const event = (value: object) => ({ type: 'stream_event', event: value })
    const bodies = await parse('claude', [
      event({ type: 'message_start', message: { id: 'm1' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'He' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'llo' } }),
      message([{ type: 'text', text: 'Hello' }]),
    ])
    expect(bodies.map(body => (body as { block?: string }).block)).toEqual(['m1/0', 'm1/0', 'm1/0'])
  })

  test('reports context usage of the last main request, relative to the window of the program', async () => {
    const said = (input: number, more: object = {}) => ({
      ...message([{ type: 'text', text: 'x' }], more),
      message: {
        id: 'm1',
        model: 'big',
        content: [],
        usage: { input_tokens: input, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 },
      },
    })
    const modelUsage = { big: { inputTokens: 900, outputTokens: 2, contextWindow: 1000 }, small: { contextWindow: 10 } }
    const parsed = await parse('claude', [
      said(300),
      said(700),
      said(5, { parent_tool_use_id: 't9' }),
      { ...result, modelUsage },
    ])
    expect(parsed.find(({ type }) => type === 'usage')).toMatchObject({ context: { used: 820, window: 1000 } })
    const [unknown] = await parse('claude', [said(300), { ...result, modelUsage: { other: { contextWindow: 9 } } }])
    expect(unknown).not.toHaveProperty('context')
  })

  test('reports a failure that the program marks as success', async () => {
    const bodies = await parse('claude', [
      message([{ type: 'text', text: 'Not logged in' }], { error: 'authentication_failed' }),
      { ...result, is_error: true, result: 'Not logged in · Please run /login' },
    ])
    expect(bodies).toContainEqual({ type: 'error', class: 'auth', text: 'Not logged in · Please run /login' })
    expect(bodies.at(-1)).toMatchObject({ type: 'result', ok: false })
  })

  test('links a sub-agent’s text to its call', async () => {
    const [body] = await parse('claude', [message([{ type: 'text', text: 'x' }], { parent_tool_use_id: 't9' })])
    expect(body).toMatchObject({ type: 'text', parent: 't9' })
  })

  test('parses a permission request, and answers in the format of the program', async () => {
    const [body] = await parse('claude', [
      {
        type: 'control_request',
        request_id: 'r1',
        request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' } },
      },
    ])
    expect(body).toEqual({ type: 'approval', requestId: 'r1', tool: 'Bash', input: { command: 'ls' }, options: [] })
    const { protocol } = (await loadAgent('claude')).headless!
    const answer = (isAllowed: boolean) =>
      JSON.parse(protocol!.answer({ requestId: 'r1', input: { command: 'ls' } }, { isAllowed })).response
    expect(answer(true)).toMatchObject({
      request_id: 'r1',
      response: { behavior: 'allow', updatedInput: { command: 'ls' } },
    })
    expect(answer(false)).toMatchObject({ response: { behavior: 'deny' } })
  })

  test('parses structured output, retries, and unknown records', async () => {
    const bodies = await parse('claude', [
      { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, retry_delay_ms: 500, error_status: 529 },
      { type: 'brand_new', x: 1 },
      { ...result, structured_output: { verdict: 'DONE' } },
    ])
    expect(bodies[0]).toMatchObject({ type: 'retry', attempt: 1, max: 10, delayMs: 500, status: 529 })
    expect(bodies[1]).toEqual({ type: 'raw', text: '{"type":"brand_new","x":1}' })
    expect(bodies.at(-1)).toMatchObject({ structured: { verdict: 'DONE' } })
  })
})

describe('the parser of codex', () => {
  const item = (type: string, value: object) => ({ type, item: { id: 'i1', ...value } })

  test('parses commands with their exit code, files, and the answer as the result', async () => {
    const command = { type: 'command_execution', command: 'ls', aggregated_output: 'a\n' }
    const bodies = await parse('codex', [
      { type: 'thread.started', thread_id: 't' },
      item('item.started', { ...command, exit_code: null }),
      item('item.completed', { ...command, exit_code: 3 }),
      item('item.completed', { type: 'file_change', changes: [{ path: 'a.js', kind: 'add' }], status: 'completed' }),
      item('item.completed', { type: 'agent_message', text: 'All done.' }),
      { type: 'turn.completed', usage: { input_tokens: 24, cached_input_tokens: 4, output_tokens: 2 } },
    ])
    expect(bodies).toMatchObject([
      { type: 'session', sessionId: 't' },
      { type: 'tool_call', callId: 'i1', kind: 'shell' },
      { type: 'tool_result', ok: false, exitCode: 3, output: 'a\n' },
      { type: 'file_change', path: 'a.js', change: 'create' },
      { type: 'text', text: 'All done.', delta: false },
      { type: 'usage', scope: 'run', input: 24, output: 2, cacheRead: 4 },
      { type: 'result', ok: true, text: 'All done.' },
    ])
  })

  test('reports reconnecting as a retry, and the final failure as an error with a status', async () => {
    const bodies = await parse('codex', [
      { type: 'error', message: 'Reconnecting... 1/5 (unexpected status 401 Unauthorized)' },
      { type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized: no key' } },
    ])
    expect(bodies).toMatchObject([
      { type: 'retry', attempt: 1, max: 5 },
      { type: 'error', class: 'auth', status: 401 },
      { type: 'result', ok: false },
    ])
  })

  test('uses its last message as the object if there is a schema', async () => {
    const schema = { json: {}, file: '/s.json' }
    const bodies = await parse(
      'codex',
      [
        item('item.completed', { type: 'agent_message', text: '{"verdict":"DONE"}' }),
        { type: 'turn.completed', usage: {} },
      ],
      { schema },
    )
    expect(bodies.at(-1)).toMatchObject({ structured: { verdict: 'DONE' } })
  })
})

test('the parser of gemini completes the pieces of an answer with the next record', async () => {
  const said = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true })
  const bodies = await parse('gemini', [
    { type: 'init', session_id: 'g', model: 'auto' },
    { type: 'message', role: 'user', content: 'our prompt' },
    said('I will '),
    said('run it.'),
    { type: 'tool_use', tool_id: 'c1', tool_name: 'run_shell_command', parameters: { command: 'x' } },
    { type: 'tool_result', tool_id: 'c1', status: 'success', output: 'failed with 3' },
    said('Done.'),
    { type: 'result', status: 'success', stats: { input_tokens: 36, output_tokens: 24, cached: 1 } },
  ])
  expect(kinds(bodies)).toEqual([
    'session',
    'text',
    'text',
    'text',
    'tool_call',
    'tool_result',
    'text',
    'text',
    'usage',
    'result',
  ])
  expect(bodies[3]).toMatchObject({ text: 'I will run it.', delta: false, block: 'text_1' })
  expect(bodies[5]).not.toHaveProperty('exitCode')
  expect(bodies.at(-1)).toMatchObject({ ok: true, text: 'Done.' })
  const failed = await parse('gemini', [{ type: 'result', status: 'error', error: { message: '{"code":401}' } }])
  expect(failed).toMatchObject([{ type: 'usage' }, { class: 'auth', status: 401 }, { ok: false }])
})

test('the parser of opencode ends the turn only with a step of reason stop', async () => {
  const finish = (reason: string) => ({
    type: 'step_finish',
    sessionID: 'ses_1',
    part: { reason, tokens: { input: 12, output: 8, reasoning: 1, cache: { read: 2, write: 0 } }, cost: 0.5 },
  })
  const bodies = await parse('opencode', [
    { type: 'step_start', sessionID: 'ses_1', part: {} },
    {
      type: 'tool_use',
      sessionID: 'ses_1',
      part: { tool: 'bash', callID: 'c', state: { status: 'completed', output: 'x', metadata: { exit: 3 } } },
    },
    finish('tool-calls'),
    { type: 'text', sessionID: 'ses_1', part: { id: 'p', text: 'It failed.' } },
    finish('stop'),
  ])
  expect(kinds(bodies)).toEqual(['session', 'tool_call', 'tool_result', 'usage', 'text', 'usage', 'result'])
  expect(bodies[2]).toMatchObject({ ok: false, exitCode: 3 })
  expect(bodies.at(-1)).toMatchObject({ ok: true, text: 'It failed.' })
  const failed = await parse('opencode', [
    { type: 'error', sessionID: 's', error: { name: 'APIError', data: { message: 'no', statusCode: 429 } } },
  ])
  expect(failed).toMatchObject([{ type: 'session' }, { class: 'rate_limit', status: 429 }, { ok: false }])
})

test('the parser of qwen finds errors in another field than that of claude', async () => {
  const bodies = await parse('qwen', [
    { type: 'stream_event', event: { type: 'goal_state' } },
    { type: 'result', subtype: 'error_during_execution', is_error: true, error: { message: '[API Error: 401 no]' } },
  ])
  expect(bodies).toMatchObject([{ type: 'usage' }, { type: 'error', class: 'auth', status: 401 }, { ok: false }])
})

test('the parser of copilot reports no success for exit code 0 after an abort', async () => {
  const record = (type: string, data: object) => ({ type, data })
  const end = { type: 'result', sessionId: 'c', exitCode: 0 }
  const good = await parse('copilot', [
    record('session.skills_loaded', {}),
    record('assistant.message_delta', { messageId: 'm', deltaContent: 'It ' }),
    record('assistant.message', { messageId: 'm', content: 'It works.', toolRequests: [] }),
    record('tool.execution_start', { toolCallId: 't', toolName: 'bash', arguments: { command: 'x' } }),
    record('tool.execution_complete', { toolCallId: 't', success: true, shellExecution: { exitCode: 3 }, result: {} }),
    end,
  ])
  expect(good).toMatchObject([
    { type: 'text', delta: true, block: 'm' },
    { type: 'text', delta: false, block: 'm' },
    { type: 'tool_call', kind: 'shell' },
    { type: 'tool_result', ok: false, exitCode: 3 },
    { type: 'session', sessionId: 'c' },
    { type: 'result', ok: true, text: 'It works.' },
  ])
  const aborted = await parse('copilot', [record('abort', { reason: 'user' }), end])
  expect(aborted.at(-1)).toMatchObject({ ok: false, reason: 'interrupted' })
})

describe('the parser of cline', () => {
  const event = (value: object) => ({ type: 'agent_event', event: value })

  test('parses version 3', async () => {
    const bodies = await parse('cline', [
      { type: 'hook_event', taskId: 'not-the-session' },
      event({ type: 'content_start', contentType: 'text', text: 'He', accumulated: 'He' }),
      event({ type: 'content_start', contentType: 'text', text: 'y', accumulated: 'Hey' }),
      event({ type: 'content_end', contentType: 'text', text: 'Hey' }),
      event({ type: 'content_start', contentType: 'tool', toolName: 'run_commands', toolCallId: 'c', input: {} }),
      event({ type: 'content_update', contentType: 'tool', toolCallId: 'c', update: { chunk: 'x' } }),
      event({
        type: 'content_end',
        contentType: 'tool',
        toolCallId: 'c',
        output: [
          { result: 'a', success: true },
          { result: 'b', success: false },
        ],
      }),
      { type: 'run_result', finishReason: 'completed', text: 'Hey', usage: { inputTokens: 24, outputTokens: 16 } },
    ])
    expect(bodies).toMatchObject([
      { type: 'text', text: 'He', delta: true },
      { type: 'text', text: 'y', delta: true },
      { type: 'text', text: 'Hey', delta: false },
      { type: 'tool_call', kind: 'shell' },
      { type: 'tool_progress', text: 'x' },
      { type: 'tool_result', ok: false, output: 'a\nb' },
      { type: 'usage', scope: 'run', input: 24 },
      { type: 'result', ok: true },
    ])
  })

  test('reports errors from standard error once', async () => {
    const parser = (await loadAgent('cline')).headless!.parser(step())
    const object = (value: Record<string, unknown>) => ({ kind: 'object' as const, value })
    const error = { type: 'error', error: { message: 'no key' }, errorClass: 'auth' }
    expect(parser.parse(object({ type: 'agent_event', event: error }))).toMatchObject([{ class: 'auth' }])
    expect(parser.parseError!(object({ type: 'error', message: 'no key' }))).toEqual([])
    expect(parser.parseError!({ kind: 'text', text: 'Warning: x' })).toEqual([
      { type: 'raw', text: 'Warning: x', from: 'stderr' },
    ])
  })

  test('parses earlier versions: skips our prompt, and reports plans as texts', async () => {
    const say = (word: string, text: string, more: object = {}) => ({ type: 'say', say: word, text, ts: 1, ...more })
    const bodies = await parse('cline', [
      JSON.stringify(say('text', 'our prompt with {"verdict": "DONE"}'), null, 2),
      JSON.stringify(
        say('api_req_started', JSON.stringify({ request: 'our prompt', tokensIn: 5, tokensOut: 3 })),
        null,
        2,
      ),
      say('reasoning', 'hm'),
      say('text', '', { partial: true }),
      { type: 'ask', ask: 'plan_mode_respond', text: JSON.stringify({ response: 'Beijing' }), ts: 2 },
      { type: 'ask', ask: 'followup', text: JSON.stringify({ question: 'Which?', options: ['a'] }), ts: 3 },
      { type: 'ask', ask: 'command', text: 'rm -rf x', ts: 4 },
      say('completion_result', 'Beijing it is.'),
    ])
    expect(bodies).toMatchObject([
      { type: 'usage', scope: 'turn', input: 5, output: 3 },
      { type: 'thought', text: 'hm' },
      { type: 'text', text: 'Beijing' },
      { type: 'question', text: 'Which?' },
      { type: 'approval', tool: 'command', input: 'rm -rf x' },
      { type: 'result', ok: true, text: 'Beijing it is.' },
    ])
    expect(JSON.stringify(bodies)).not.toContain('our prompt')
  })
})

test('the parser of aider separates its own lines from those of the model', async () => {
  const bodies = await parse('aider', [
    'I will change it.',
    'Applied edit to src/a.js',
    'Commit 1a2b3c4 feat: change it',
    'Tokens: 2.1k sent, 154 received. Cost: $0.0087 message, $0.02 session.',
    'litellm.AuthenticationError: Error code: 401 - no key',
  ])
  expect(bodies).toMatchObject([
    { type: 'text', delta: true },
    { type: 'file_change', path: 'src/a.js' },
    { type: 'notice' },
    { type: 'usage', input: 2100, output: 154, costUsd: 0.0087 },
    { type: 'error', class: 'auth', status: 401 },
    { type: 'text', delta: false, text: 'I will change it.' },
  ])
})

describe('the parser of direct', () => {
  const chunk = (value: object) => `data: ${JSON.stringify({ id: 'x', model: 'm', ...value })}\n\n`
  const delta = (content: string, finish: string | null = null) =>
    chunk({ choices: [{ delta: { content }, finish_reason: finish }] })

  function whole(text: string, size = text.length) {
    const stream = new DirectStream()
    const bodies: ActivityBody[] = []
    for (let at = 0; at < text.length; at += size) bodies.push(...stream.push(text.slice(at, at + size)))
    return [...bodies, ...stream.end()]
  }

  test('gives the answer as one text, however it is split', () => {
    const text = `${delta('Hel')}: comment\n\n${delta('lo', 'stop')}${chunk({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } })}data: [DONE]\n\n`
    for (const size of [text.length, 1, 7]) {
      const bodies = whole(text, size)
      expect(bodies.filter(body => body.type === 'text' && !body.delta)).toEqual([
        { type: 'text', text: 'Hello', delta: false, block: 'answer' },
      ])
      expect(bodies.at(-1)).toEqual({ type: 'result', ok: true, reason: 'stop', text: 'Hello' })
      expect(bodies).toContainEqual({ type: 'usage', scope: 'run', input: 7, output: 2, model: 'm' })
    }
  })

  test('reports answers that were cut by length, filtered, broken off or refused', () => {
    expect(whole(delta('x', 'length')).at(-1)).toMatchObject({ ok: false, reason: 'length' })
    expect(whole(delta('x', 'content_filter'))).toContainEqual(expect.objectContaining({ class: 'refused' }))
    expect(whole(delta('x')).map(({ type }) => type)).not.toContain('result')
    expect(whole('data: {"error":{"message":"no","code":429}}\n')).toMatchObject([
      { class: 'rate_limit' },
      { ok: false },
    ])
    expect(whole('data: {half\n')[0]).toMatchObject({ type: 'raw', malformed: true })
  })
})

describe('the command line of a headless agent', () => {
  const words = async (agent: string, changes: Partial<HeadlessStep> = {}) =>
    (await loadAgent(agent)).headless!.command(FOUND, step(changes))

  test.each<[string, Partial<HeadlessStep>, string]>([
    ['claude', {}, '--session-id new-id --permission-mode acceptEdits'],
    ['claude', { permissions: 'read' }, '--permission-mode manual --permission-prompts none --allowedTools Read,Grep'],
    ['claude', { permissions: 'all', resume: 'old' }, '--resume old --permission-mode bypassPermissions'],
    ['claude', { resume: 'old', isFork: true }, '--resume old --fork-session --session-id new-id'],
    ['claude', { permissions: 'ask' }, '--permission-mode manual --input-format stream-json --permission-prompt-tool'],
    ['claude', { model: 'm', maxCostUsd: 2 }, '--model m --max-budget-usd 2'],
    ['claude', { effort: 'high' }, '--effort high'],
    ['codex', { effort: 'low' }, '-c model_reasoning_effort="low"'],
    ['codex', {}, 'exec --json --skip-git-repo-check -s workspace-write -'],
    ['codex', { permissions: 'read' }, '-s read-only'],
    ['codex', { resume: 'old' }, 'exec resume --json --skip-git-repo-check -c sandbox_mode="workspace-write" old -'],
    ['codex', { permissions: 'all' }, '--dangerously-bypass-approvals-and-sandbox'],
    ['gemini', {}, '-o stream-json --approval-mode auto_edit --session-id new-id'],
    ['gemini', { permissions: 'read', resume: 'old' }, '--approval-mode plan --resume old'],
    ['qwen', {}, '-o stream-json --approval-mode auto-edit --session-id new-id'],
    ['qwen', { resume: 'old' }, '-r old'],
    ['opencode', {}, 'run --format json --title run_1/worker@1#1'],
    ['opencode', { permissions: 'read', resume: 'old' }, '-s old --agent plan'],
    ['opencode', { permissions: 'all', model: 'p/m' }, '--auto -m p/m'],
    ['copilot', {}, '--output-format json --no-auto-update --no-ask-user --session-id=new-id --allow-tool=write'],
    ['copilot', { resume: 'old', permissions: 'all' }, '--resume=old --allow-all-tools'],
    ['cline', { permissions: 'all', model: 'p:m' }, '--json --auto-approve true -P p -m m Do what the input says.'],
    ['cline', { permissions: 'read', resume: '1_a' }, '--plan --auto-approve false --id 1_a'],
    ['aider', { permissions: 'read' }, '--chat-history-file /steps/1/aider.chat.md --llm-history-file'],
    ['aider', { permissions: 'all', model: 'm' }, '--message-file /steps/1/prompt.md --yes-always --no-stream'],
    [
      'direct',
      { endpoint: 'http://x/v1', model: 'm', apiKeyEnv: 'KEY' },
      '--endpoint http://x/v1 --model m --api-key-env KEY',
    ],
  ])('has the options of %s %j', async (agent, changes, part) => {
    expect((await words(agent, changes)).args.join(' ')).toContain(part)
  })

  test('does not contain the prompt, which every agent gets from a file or through the protocol', async () => {
    for (const agent of ['claude', 'codex', 'gemini', 'qwen', 'opencode', 'copilot', 'cline', 'aider', 'direct']) {
      const { headless } = await loadAgent(agent)
      for (const permissions of headless!.levels as PermissionLevel[]) {
        const { args, stdin } = await words(agent, { permissions })
        expect([agent, stdin === 'none' ? args.includes('/steps/1/prompt.md') : true]).toEqual([agent, true])
        if (stdin === 'protocol') expect(headless!.protocol).toBeDefined()
      }
    }
  })
})
