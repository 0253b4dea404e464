import { describe, expect, test } from 'vitest'
import { AcpConversation, type AcpEvent } from './acp-conversation.js'
import type { RpcMessage } from './wire.js'

/* The calls of an agent to its client, and the terminals that it shows in its tool calls. */

const sessionId = 'agent-1'
const OPENED: readonly Message[] = [
  ['sent', { id: 1, method: 'session/new', params: {} }],
  ['received', { id: 1, result: { sessionId } }],
  ['sent', { id: 2, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'go' }] } }],
]

type Message = [from: 'sent' | 'received', message: RpcMessage]

function folded(messages: readonly Message[]): { conversation: AcpConversation; events: AcpEvent[] } {
  const conversation = new AcpConversation('ses_1')
  const events = messages.flatMap(([from, message], index) => conversation[from](message, index))
  return { conversation, events }
}

const update = (fields: object): Message => [
  'received',
  { method: 'session/update', params: { sessionId, update: fields } },
]
const create = (id: number, command: string, args: string[] = []): Message => [
  'received',
  { id, method: 'terminal/create', params: { sessionId, command, args, outputByteLimit: 50 } },
]
const content = [{ type: 'terminal', terminalId: 'terminal-1' }]

describe('a terminal in a tool call', () => {
  const started: Message[] = [
    ...OPENED,
    update({ sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Tests', kind: 'execute', status: 'pending' }),
    create(7, 'npm', ['test', 'a b']),
    ['sent', { id: 7, result: { terminalId: 'terminal-1' } }],
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress', content }),
  ]

  test('shows its command, and its output while it runs', () => {
    const { conversation } = folded(started)
    expect(conversation.outputLimit('terminal-1')).toBe(50)
    expect(conversation.printed('terminal-1', '\u001b[32mok\u001b[0m 1\r\n')).toEqual([{ kind: 'said' }])
    expect(conversation.printed('terminal-1', '\u001b[32mok\u001b[0m 1\r\n')).toEqual([])
    expect(conversation.blocks).toMatchObject([
      { kind: 'tool_call', tool: { kind: 'shell', command: "npm test 'a b'" } },
      { kind: 'tool_result', lines: ['ok 1'], ok: null },
    ])
  })

  test('is in the message with the answer that the agent got, so that a recording contains it', () => {
    const { events } = folded([
      ...started,
      ['received', { id: 8, method: 'terminal/output', params: { sessionId, terminalId: 'terminal-1' } }],
      ['sent', { id: 8, result: { output: 'ok 1\nok 2\n', truncated: false } }],
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' }),
      ['received', { id: 2, result: { stopReason: 'end_turn' } }],
    ])
    const closed = events.find(event => event.kind === 'message-closed')
    expect(closed?.closed.blocks).toMatchObject([
      { kind: 'tool_call' },
      { kind: 'tool_result', lines: ['ok 1', 'ok 2'], ok: true },
    ])
    const done = events.find(
      event => event.kind === 'stated' && event.statement.kind === 'tool' && event.statement.state === 'done',
    )
    expect(done).toMatchObject({ statement: { output: 'ok 1\nok 2', input: { command: "npm test 'a b'" } } })
  })
})

describe('the calls of an agent to its client', () => {
  test('wait until they are answered, and name the same terminals whenever they are read', () => {
    const messages: Message[] = [
      ...OPENED,
      create(7, 'true'),
      ['sent', { id: 7, result: { terminalId: 'terminal-1' } }],
      create(8, 'false'),
      ['received', { id: 'w', method: 'fs/write_text_file', params: { sessionId, path: '/a', content: 'x' } }],
    ]
    const { conversation } = folded(messages)
    conversation.callStarted('w')
    expect(conversation.clientCalls).toMatchObject([
      { rpc: 8, terminal: 'terminal-2', isStarted: false },
      { rpc: 'w', isStarted: true },
    ])
    const error = { code: -32_603, message: 'no' }
    expect(conversation.sent({ id: 'w', error }, 9)).toMatchObject([{ kind: 'call-answered', error }])
    expect(conversation.clientCalls.map(({ rpc }) => rpc)).toEqual([8])
  })

  test('are refused if the method is unknown', () => {
    const { events } = folded([...OPENED, ['received', { id: 9, method: 'fs/delete', params: {} }]])
    expect(events.at(-1)).toEqual({ kind: 'unsupported', rpc: 9, method: 'fs/delete' })
  })
})
