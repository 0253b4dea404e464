import { McpServer } from '@modelcontextprotocol/server'
import type { CallApi } from './api.js'
import { addApprovalTools } from './approval-tools.js'
import { addResources } from './resources.js'
import { addRunTools } from './run-tools.js'
import { addSessionTools } from './session-tools.js'
import { ToolRegistry } from './tool-registry.js'

export interface McpOptions {
  api: CallApi
  version: string
  /** The directory in which sessions and runs start unless another one is named. */
  project: string | null
  /** The person for whom this client may decide requests; null: it only reads them. */
  decidesAs: { id: string; name: string } | null
  /** The session in whose environment the client runs: it may not decide for itself. */
  insideSession: string | undefined
}

const INSTRUCTIONS = `Signalbox runs coding agents in terminals (sessions) and through workflows (runs).
Start or find a session, send it a prompt, wait until it is idle, read its last messages.
When an agent asks for permission, the request waits in the ledger for a person: approvals_list shows it.`

export function createMcpServer(options: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'signalbox', title: 'Signalbox', version: options.version },
    { instructions: INSTRUCTIONS },
  )
  const tools = new ToolRegistry(server)
  addSessionTools(tools, options)
  addRunTools(tools, options)
  addApprovalTools(tools, options)
  addResources(server, options.api)
  return server
}
