import { describe, expect, test } from 'vitest'
import type { RecordingEvent } from '../terminal/recording/index.js'
import { readAnyTranscript } from './any-transcript.js'
import { momentsOf } from './transcript-moments.js'

const at = (second: number) => new Date(1_700_000_000_000 + second * 1000).toISOString()
const lines = (...records: object[]) => records.map(record => JSON.stringify(record)).join('\n')

describe('the transcript of an agent without an adapter', () => {
  test.each([
    [
      'with roles and parts',
      lines(
        { role: 'user', content: 'hi', timestamp: at(0) },
        { role: 'assistant', content: [{ type: 'tool_use', name: 'bash' }], timestamp: at(1) },
        { role: 'user', content: [{ type: 'tool_result', content: 'ok' }], timestamp: at(2) },
        { role: 'assistant', content: 'done', timestamp: at(3) },
      ),
    ],
    [
      'with tool_calls and a role for tools',
      lines(
        { role: 'user', content: 'hi', created_at: 1_700_000_000 },
        { role: 'assistant', content: null, tool_calls: [{ function: { name: 'bash' } }], created_at: 1_700_000_001 },
        { role: 'tool', content: 'ok', created_at: 1_700_000_002 },
        { role: 'assistant', content: 'done', created_at: 1_700_000_003 },
      ),
    ],
    [
      'as one value, with messages inside records',
      JSON.stringify({
        messages: [
          { message: { role: 'user', content: 'hi' }, timestamp: at(0) },
          { message: { role: 'model', parts: [{ functionCall: { name: 'bash' } }] }, timestamp: at(1) },
          { message: { role: 'user', parts: [{ functionResponse: { name: 'bash' } }] }, timestamp: at(2) },
          { message: { role: 'model', parts: [{ text: 'done' }] }, timestamp: at(3) },
        ],
      }),
    ],
  ])('is read %s', (_, text) => {
    const said = readAnyTranscript(text).map(statement =>
      statement.kind === 'tool' ? statement.state : statement.kind,
    )
    expect(said).toEqual(['prompt', 'started', 'done', 'said'])
  })

  test('gives the screen between its records, in the time of the recording', () => {
    const events: RecordingEvent[] = [
      { kind: 'input', t: 4, bytes: new TextEncoder().encode('hi there') },
      { kind: 'input', t: 5, bytes: new TextEncoder().encode('\r') },
      { kind: 'output', t: 20, bytes: new Uint8Array() },
    ]
    const statements = readAnyTranscript(
      lines(
        { role: 'user', content: 'hi there', timestamp: at(0) },
        { role: 'assistant', content: [{ type: 'tool_use', name: 'bash' }], timestamp: at(2) },
        { role: 'tool', content: 'ok', timestamp: at(5) },
        { role: 'assistant', content: 'done', timestamp: at(7) },
      ),
    )
    const moments = momentsOf(statements, { startedAt: null, events })
    const viewAt = (t: number) => [...(moments.find(moment => Math.abs(moment.t - t) < 0.2)?.views ?? [])]
    expect(viewAt(5.7)).toContain('thinking')
    expect(viewAt(9)).toEqual(['tool_running', 'tool_menu'])
    expect(viewAt(10.7)).toContain('tool_result')
    expect(viewAt(13)).toContain('idle_prompt')
  })
})
