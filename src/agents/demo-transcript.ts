import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AgentTranscript, TranscriptUpdate } from './adapter.js'
import { movableDirectory } from './home-directory.js'
import { JsonLinesReader, type JsonRecord, numberOf, textOf, timeOf } from './json-lines.js'
import type { AgentStatement } from './report.js'

/** One JSON object per line, each written when it is complete: docs/demo-agent.md. */
export const demoTranscript: AgentTranscript = {
  form: 'lines',
  async locate({ env, agentSessionId }) {
    if (agentSessionId === null) return []
    const home = movableDirectory(env, 'SIGNALBOX_DEMO_HOME', '.signalbox-demo')
    const file = join(home, 'sessions', `${agentSessionId}.jsonl`)
    return existsSync(file) ? [file] : []
  },
  open(path) {
    const lines = new JsonLinesReader(path)
    const conversation = new DemoConversation(path)
    return {
      async read(): Promise<TranscriptUpdate> {
        const statements: TranscriptUpdate['statements'] = []
        const { skipped } = await lines.read(record => {
          const at = timeOf(record.at)
          for (const statement of conversation.parseRecord(record)) statements.push({ ...statement, at })
        })
        return { statements, skipped }
      },
      close: () => undefined,
    }
  },
}

class DemoConversation {
  readonly #path: string
  readonly #tools = new Map<string, { tool: string; input: unknown }>()
  #records = 0

  constructor(path: string) {
    this.#path = path
  }

  parseRecord(record: JsonRecord): AgentStatement[] {
    this.#records++
    const agent = textOf(record.agent)
    return this.#read(record).map(statement => (agent === undefined ? statement : { ...statement, subAgent: agent }))
  }

  #read(record: JsonRecord): AgentStatement[] {
    const text = textOf(record.text)
    const key = textOf(record.callId) ?? ''
    switch (record.type) {
      case 'session': {
        const [cwd, version] = [textOf(record.cwd), textOf(record.version)]
        const agentSession = basename(this.#path, '.jsonl')
        return [
          { kind: 'session', agentSession, transcript: this.#path, ...(cwd && { cwd }), ...(version && { version }) },
        ]
      }
      case 'user':
        return text === undefined ? [] : [{ kind: 'prompt', text }]
      case 'assistant':
        return text === undefined
          ? []
          : [{ kind: 'said', id: `${basename(this.#path)}#${this.#records}`, markdown: text }]
      case 'tool_use': {
        const tool = { tool: textOf(record.name) ?? 'unknown', input: record.input }
        this.#tools.set(key, tool)
        return [{ kind: 'tool', state: 'started', key, ...tool }]
      }
      case 'tool_result': {
        const tool = this.#tools.get(key) ?? { tool: 'unknown', input: undefined }
        this.#tools.delete(key)
        const output = textOf(record.output)
        const state = record.declined === true ? 'denied' : record.ok === true ? 'done' : 'failed'
        return [{ kind: 'tool', state, key, ...tool, ...(output !== undefined && { output }) }]
      }
      case 'usage': {
        const { input, output, costUsd, contextWindow, model } = record
        return [
          {
            kind: 'usage',
            input: numberOf(input),
            output: numberOf(output),
            ...(typeof costUsd === 'number' && { costUsd }),
            ...(typeof contextWindow === 'number' && { contextWindow }),
            ...(typeof model === 'string' && { model }),
          },
        ]
      }
      case 'turn_end': {
        const { outcome } = record
        const ended = outcome === 'done' ? 'done' : outcome === 'failed' ? 'failed' : 'interrupted'
        return [{ kind: 'turn-ended', outcome: ended, ...(text !== undefined && { text }) }]
      }
      default:
        return []
    }
  }
}
