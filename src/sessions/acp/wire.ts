import type {
  PromptResponse,
  RequestPermissionRequest,
  SessionNotification,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'

/*
 * The messages of the Agent Client Protocol, version 1, as lines of JSON. Types are those of the
 * protocol's SDK; its connection is not used, because a connection lives in one process, and the
 * conversation with an agent must survive the daemon.
 */

export type { PromptResponse, RequestPermissionRequest, SessionNotification, ToolCallUpdate }

export const PROTOCOL_VERSION = 1

/** The methods that Signalbox calls, and those that it answers. */
export const METHOD = {
  initialize: 'initialize',
  newSession: 'session/new',
  loadSession: 'session/load',
  resumeSession: 'session/resume',
  prompt: 'session/prompt',
  cancel: 'session/cancel',
  update: 'session/update',
  requestPermission: 'session/request_permission',
} as const

/** The methods of a client that the agent calls: its files and terminals. */
export const CLIENT = {
  readTextFile: 'fs/read_text_file',
  writeTextFile: 'fs/write_text_file',
  createTerminal: 'terminal/create',
  terminalOutput: 'terminal/output',
  waitForExit: 'terminal/wait_for_exit',
  killTerminal: 'terminal/kill',
  releaseTerminal: 'terminal/release',
} as const

export type ClientMethod = (typeof CLIENT)[keyof typeof CLIENT]

export function isClientMethod(method: string): method is ClientMethod {
  return (Object.values(CLIENT) as string[]).includes(method)
}

export const ERROR = { methodNotFound: -32_601, authRequired: -32_000 } as const

export interface RpcError {
  code: number
  message: string
}

/** One message: a request has `method` and `id`, a notification `method`, a response `id`. */
export interface RpcMessage {
  id?: number | string
  method?: string
  params?: unknown
  result?: unknown
  error?: RpcError
}

/** Null for a line that is not a message of the protocol. */
export function parseMessage(line: string): RpcMessage | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) && value.jsonrpc === '2.0' ? (value as RpcMessage) : null
  } catch {
    return null
  }
}

export function encodeMessage(message: RpcMessage): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

/** A line without an end is dropped at this size: no agent sends one. */
const LINE_MAX = 64 * 1024 * 1024

/** Bytes in any pieces → lines. A character that is cut in two is put together again. */
export class LineSplitter {
  readonly #decoder = new TextDecoder()
  #rest = ''

  push(bytes: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n')
    const rest = lines.pop() ?? ''
    this.#rest = rest.length > LINE_MAX ? '' : rest
    return lines.map(line => line.trimEnd())
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
