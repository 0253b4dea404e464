import {
  acceptedContent,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { SignalboxError } from '../errors/index.js'

interface Tool<Input extends z.ZodObject> {
  title: string
  description: string
  input: Input
  /** It changes nothing. */
  isReading?: boolean
  /** It may end work that is in progress. */
  isDestructive?: boolean
  run(input: z.output<Input>, call: ToolCall): Promise<unknown>
}

export interface ToolCall {
  /** Tells the client that the call is still at work, if it wants to know. */
  report(message: string): Promise<void>
  /**
   * Asks the person at the client for one text that the call lacks. Null: the client offers no
   * elicitation, or the person declined.
   */
  ask(name: string, message: string): string | null
  signal: AbortSignal
}

/** Ends the call for now: the client asks the person and calls again with the answer. */
class AnswerNeeded extends Error {
  readonly asked: { name: string; message: string }

  constructor(asked: { name: string; message: string }) {
    super(asked.message)
    this.asked = asked
  }
}

const ANSWER = z.object({ text: z.string().min(1).max(100_000) })

/** Adds tools to a server: answers as JSON, errors of Signalbox as the tool's own errors. */
export class ToolRegistry {
  readonly #server: McpServer

  constructor(server: McpServer) {
    this.#server = server
  }

  add<Input extends z.ZodObject>(name: string, tool: Tool<Input>): void {
    const { title, description, input, isReading = false, isDestructive = false } = tool
    const annotations = { title, readOnlyHint: isReading, destructiveHint: isDestructive, openWorldHint: false }
    this.#server.registerTool(name, { title, description, inputSchema: input, annotations }, (async (
      given: z.output<Input>,
      context: ServerContext,
    ) => {
      try {
        const result = await tool.run(given, this.#callOf(context))
        return { content: [{ type: 'text' as const, text: JSON.stringify(result, null, 1) }] }
      } catch (error) {
        if (error instanceof AnswerNeeded) {
          const { name, message } = error.asked
          return inputRequired({
            inputRequests: { [name]: inputRequired.elicit({ message, requestedSchema: ANSWER }) },
          })
        }
        if (!(error instanceof SignalboxError)) throw error
        const { code, message, next } = error
        const text = [`${code}: ${message}`, ...(next === undefined ? [] : [`next: ${next}`])].join('\n')
        return { isError: true, content: [{ type: 'text' as const, text }] }
      }
    }) as never)
  }

  #callOf(context: ServerContext): ToolCall {
    const { _meta: meta, signal, notify, inputResponses } = context.mcpReq
    const token = meta?.progressToken
    let progress = 0
    return {
      signal,
      report: async message => {
        if (token === undefined) return
        progress++
        await notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } })
      },
      ask: (name, message) => {
        const answer = acceptedContent(inputResponses, name, ANSWER)
        if (answer) return answer.text
        // On both revisions of the protocol: as declared with the request, or when it connected.
        const canAsk = this.#server.server.getClientCapabilities()?.elicitation !== undefined
        if (!canAsk || inputResponse(inputResponses, name).kind !== 'missing') return null
        throw new AnswerNeeded({ name, message })
      },
    }
  }
}
