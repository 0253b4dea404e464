import { createMcpHandler } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer, type McpOptions } from './mcp-server.js'

/** Serves one client on standard input and output, until it closes the input. */
export async function serveMcpStdio(options: McpOptions, ended: Promise<void>): Promise<void> {
  const handle = serveStdio(() => createMcpServer(options), { onerror: () => undefined })
  await ended
  await handle.close()
}

/** Answers one request over HTTP; nothing is kept between requests. */
export function serveMcpHttp(options: McpOptions, request: Request, body: unknown): Promise<Response> {
  return createMcpHandler(() => createMcpServer(options)).fetch(request, { parsedBody: body })
}
