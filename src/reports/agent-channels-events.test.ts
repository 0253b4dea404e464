import { beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvents, AgentReport, AgentStatement, EventsAnswer } from '../agents/index.js'
import { EventChannel } from './agent-channels.js'

let answered: [string, EventsAnswer][]
let result: 'taken' | 'gone' | 'unreachable'
let channel: EventChannel

beforeEach(() => {
  answered = []
  result = 'taken'
  channel = new EventChannel()
  const events: Pick<AgentEvents, 'answer'> = {
    answer: async (key, answer) => {
      answered.push([key, answer])
      return result
    },
  }
  channel.connect(events as AgentEvents)
})

const report = (id: string, statement: AgentStatement): AgentReport => ({ id, channel: 'events', at: 0, statement })
const asked = (id: string, key: string, reply?: string) =>
  report(id, { kind: 'request', key, tool: 'bash', input: {}, ...(reply !== undefined && { reply }) })

describe('EventChannel', () => {
  it('answers with the id that the agent gave the request, and with no other', async () => {
    channel.recordReport(asked('events:1', 'call_1', 'per_1'))
    channel.recordReport(asked('events:2', 'per_2'))
    expect(await channel.answer('events:1', { behavior: 'allow' })).toBe('sent')
    expect(await channel.answer('events:2', { behavior: 'deny', message: 'no' })).toBe('sent')
    expect(answered).toEqual([
      ['per_1', { behavior: 'once' }],
      ['per_2', { behavior: 'deny', message: 'no' }],
    ])
  })

  it('is closed for requests that were answered elsewhere or do not exist, and without an agent', async () => {
    channel.recordReport(asked('events:1', 'call_1', 'per_1'))
    channel.recordReport(asked('events:2', 'call_2', 'per_2'))
    channel.recordReport(report('events:3', { kind: 'answered', key: 'call_1', result: 'allowed' }))
    expect([channel.isOpen('events:1'), channel.isOpen('events:2')]).toEqual([false, true])
    expect(await channel.answer('events:1', { behavior: 'allow' })).toBe('closed')
    expect(await channel.answer('events:9', { behavior: 'allow' })).toBe('closed')
    result = 'unreachable'
    expect(await channel.answer('events:2', { behavior: 'allow' })).toBe('closed')
    expect(await new EventChannel().answer('events:2', { behavior: 'allow' })).toBe('closed')
  })

  it('cannot express an edit or a rule of the agent', async () => {
    channel.recordReport(asked('events:1', 'per_1'))
    expect(await channel.answer('events:1', { behavior: 'allow', updatedInput: {} })).toBe('unsupported')
    expect(await channel.answer('events:1', { behavior: 'allow', sessionRule: ['ls *'] })).toBe('unsupported')
    expect(answered).toEqual([])
  })
})
