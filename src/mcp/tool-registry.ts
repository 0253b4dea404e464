import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { SignalboxError } from '../errors/index.js'

interface Tool<Input extends z.ZodObject> {
  title: string
  description: string
  input: Input
  /** It changes nothing. */
  isReading?: boolean
  /** It may end work that is in progress. */
  isDestructive?: boolean
  run(input: z.output<Input>, progress: Progress): Promise<unknown>
}

interface Progress {
  /** Tells the client that the call is still at work, if it wants to know. */
  report(message: string): Promise<void>
  signal: AbortSignal
}

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
        const result = await tool.run(given, progressOf(context))
        return { content: [{ type: 'text' as const, text: JSON.stringify(result, null, 1) }] }
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        const { code, message, next } = error
        const text = [`${code}: ${message}`, ...(next === undefined ? [] : [`next: ${next}`])].join('\n')
        return { isError: true, content: [{ type: 'text' as const, text }] }
      }
    }) as never)
  }
}

function progressOf(context: ServerContext): Progress {
  const { _meta: meta, signal, notify } = context.mcpReq
  const token = meta?.progressToken
  let progress = 0
  return {
    signal,
    report: async message => {
      if (token === undefined) return
      progress++
      await notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } })
    },
  }
}
