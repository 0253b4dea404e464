import { type ActivityBody, truncateOutput } from '../activity/index.js'
import { type AgentStatement, kindOfTool, type ToolStatement, type UsageStatement } from '../agents/index.js'

type Total = Omit<UsageStatement, 'kind' | 'model'>

/**
 * Converts statements of an agent in a terminal to activities, the form in which headless agents
 * report.
 *
 * Some agents record a call only when it has ended: then its start is reported with its end. Usage
 * is reported as the sum of everything recorded, so that reading a transcript again from its
 * beginning gives the same sum.
 */
export class StatementActivities {
  readonly #started = new Set<string>()
  readonly #nameless: { callId: string; tool: string }[] = []
  #names = 0
  #total: Total | null = null
  #said = ''

  /** The last part of its answer. */
  get said(): string {
    return this.#said
  }

  addStatement(statement: AgentStatement): ActivityBody[] {
    const parent = statement.subAgent === undefined ? {} : { parent: statement.subAgent }
    switch (statement.kind) {
      case 'session': {
        if (statement.subAgent !== undefined) return []
        const { agentSession, model, cwd, version } = statement
        return [
          {
            type: 'session',
            sessionId: agentSession,
            ...(model !== undefined && { model }),
            ...(cwd !== undefined && { cwd }),
            ...(version !== undefined && { version }),
          },
        ]
      }
      case 'said':
        if (statement.subAgent === undefined) this.#said = statement.markdown
        return [{ type: 'text', text: statement.markdown, delta: false, block: statement.id, ...parent }]
      case 'tool':
        return this.#tool(statement).map(body => ({ ...body, ...parent }))
      case 'usage':
        return [this.#spend(statement)]
      default:
        return []
    }
  }

  #tool({ key, state, tool, input, output }: ToolStatement): ActivityBody[] {
    const callId = key ?? this.#nameOf(tool, state)
    const bodies: ActivityBody[] = []
    if (!this.#started.has(callId)) {
      this.#started.add(callId)
      bodies.push({ type: 'tool_call', callId, tool, kind: kindOfTool(tool), input })
    }
    if (state === 'started') return bodies
    const text = output ?? (state === 'denied' ? 'it was not allowed' : '')
    return [...bodies, { type: 'tool_result', callId, ok: state === 'done', ...truncateOutput(text) }]
  }

  /**
   * For agents that give their calls no id: an end belongs to the oldest open call of that tool.
   */
  #nameOf(tool: string, state: ToolStatement['state']): string {
    const open = this.#nameless.findIndex(call => call.tool === tool)
    if (state !== 'started' && open >= 0) return this.#nameless.splice(open, 1)[0]!.callId
    const callId = `call-${++this.#names}`
    if (state === 'started') this.#nameless.push({ callId, tool })
    return callId
  }

  #spend({ kind: _, model, ...spent }: UsageStatement): ActivityBody {
    const total: Total = { input: 0, output: 0, ...this.#total }
    for (const name of ['input', 'output', 'cacheRead', 'cacheWrite', 'costUsd'] as const)
      if (spent[name] !== undefined) total[name] = (total[name] ?? 0) + spent[name]
    this.#total = total
    return { type: 'usage', scope: 'run', ...total, ...(model !== undefined && { model }) }
  }
}
