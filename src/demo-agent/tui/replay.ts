import type { Outcome, ToolCall } from '../player/surface.js'
import type { ToolKind } from '../scenario/types.js'
import type { TranscriptRecord } from '../transcript.js'
import type { Entry } from './view-model.js'

/** A recorded conversation, drawn after a resume. Answered menus are text with answers. */
export function replayEntries(records: TranscriptRecord[]): Entry[] {
  const calls = new Map<string, ToolCall>()
  return records.flatMap<Entry>(record => {
    switch (record.type) {
      case 'user':
        return [{ kind: 'user', text: text(record.text) }]
      case 'assistant':
        return [{ kind: 'prose', markdown: text(record.text), isLead: true }]
      case 'tool_use':
        calls.set(text(record.callId), callOf(record))
        return []
      case 'tool_result':
        return toolEntry(record, calls)
      case 'menu':
        return [{ kind: 'plain', lines: menuText(record), isLead: true }]
      case 'compact':
        return [{ kind: 'notice', text: 'Conversation compacted' }]
      case 'error':
        return [{ kind: 'error', text: text(record.message) }]
      case 'turn_end':
        return [
          {
            kind: 'end',
            outcome: text(record.outcome) as Outcome,
            durationMs: Number(record.durationMs) || 0,
            tokens: 0,
          },
        ]
      default:
        return []
    }
  })
}

function callOf(record: TranscriptRecord): ToolCall {
  const input = (record.input ?? {}) as Record<string, unknown>
  return {
    id: text(record.callId),
    name: text(record.name),
    kind: text(record.kind) as ToolKind,
    summary: text(input.command ?? input.path),
    input,
    show: 4,
  }
}

function toolEntry(record: TranscriptRecord, calls: Map<string, ToolCall>): Entry[] {
  const call = calls.get(text(record.callId))
  if (!call) return []
  const isDeclined = text(record.output).startsWith('declined:')
  const state = record.ok === true ? 'ok' : isDeclined ? 'declined' : 'failed'
  return [
    {
      kind: 'tool',
      call,
      state,
      output: text(record.output),
      exitCode: typeof record.exitCode === 'number' ? record.exitCode : null,
      diff: null,
    },
  ]
}

function menuText(record: TranscriptRecord): string[] {
  const answer = Array.isArray(record.answer) ? record.answer.map(text) : []
  const options = Array.isArray(record.options) ? record.options.map(text) : []
  const rows = options.map((label, index) => `${answer.includes(label) ? '▸' : ' '} ${index + 1}. ${label}`)
  return [text(record.question), ...rows, answer.length === 0 ? '(cancelled)' : `(answered: ${answer.join(', ')})`]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
