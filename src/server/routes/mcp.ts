import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { McpOptions } from '../../mcp/index.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'

const message = answer('messages of the protocol', z.unknown())

/** The Model Context Protocol over HTTP, with the login of the API. */
export const mcpRoutes: readonly Route[] = [
  route({
    id: 'mcp.call',
    method: 'POST',
    path: '/mcp',
    summary: 'Model Context Protocol (streamable HTTP): tools and resources; each needs the role of its operation.',
    access: 'viewer',
    // Each tool is an operation of its own, and is refused like one.
    isWrite: false,
    body: z.unknown(),
    answers: { 200: message },
    handle: call => serve(optionsOf(call), withoutBody(call.request), call.body),
  }),
  route({
    id: 'mcp.stream',
    method: 'GET',
    path: '/mcp',
    summary: 'Refused: the MCP server keeps nothing between requests and has no stream.',
    access: 'viewer',
    answers: { 405: message },
    handle: () => {
      throw new SignalboxError('E_METHOD', 'GET is not supported: this MCP server has no stream', {
        next: 'POST /api/v1/mcp',
      })
    },
  }),
]

/** The library of the protocol is loaded when it is needed. */
async function serve(options: McpOptions, request: Request, body: unknown): Promise<Response> {
  const { serveMcpHttp } = await import('../../mcp/index.js')
  return serveMcpHttp(options, request, body)
}

/** The body was read before; the handler gets it parsed. */
function withoutBody({ url, method, headers, signal }: Request): Request {
  return new Request(url, { method, headers, signal })
}

function optionsOf({ parts, dispatch, person }: Call<unknown, unknown>): McpOptions {
  const decides = parts.settings.mcpDecideAs === person.id
  return {
    api: dispatch,
    version: parts.version,
    project: null,
    decidesAs: decides ? { id: person.id, name: person.name } : null,
    insideSession: undefined,
  }
}
