/*
 * Signalbox for other programs over the Model Context Protocol: tools and resources that call the
 * API. The same server is used on standard input and output (`signalbox mcp`) and over HTTP
 * (`/api/v1/mcp`); its caller passes a function that calls the API with its own credential, so
 * a tool can never do more than its caller.
 *
 * To add a tool: an entry in the file of its topic (session-tools.ts, run-tools.ts,
 * approval-tools.ts).
 */
export type { CallApi } from './api.js'
export type { McpOptions } from './mcp-server.js'
export { serveMcpHttp, serveMcpStdio } from './serve.js'
