import type { Menu } from './menu/menu.js'

/** What a frame can show. An observation, never a state. */
export const TERMINAL_VIEWS = [
  'startup',
  'idle_prompt',
  'user_message',
  'thinking',
  'response_content',
  'tool_menu',
  'tool_running',
  'tool_result',
  'todo_list',
  'parallel_agents',
  'background_task',
  'auth_required',
  'error',
  'unknown',
] as const

export type TerminalView = (typeof TERMINAL_VIEWS)[number]

export interface ToolRef {
  name: string
  kind: 'shell' | 'edit' | 'write' | 'read' | 'search' | 'fetch' | 'mcp' | 'agent' | 'other'
  summary: string
  command?: string
  path?: string
  url?: string
}

export interface TodoItem {
  text: string
  status: 'open' | 'in_progress' | 'done'
}

type LastTurn = 'done' | 'interrupted' | 'denied' | 'failed'

/** What each view contains beyond its name. */
export interface Payload {
  startup: { banner?: string; version?: string; step?: 'loading' | 'mcp' | 'update' }
  idle_prompt: {
    fresh: boolean
    prompt: 'agent' | 'shell' | 'repl' | 'debugger' | 'pager' | 'editor'
    lastTurn?: LastTurn
  }
  user_message: { text: string; queued: boolean }
  thinking: {
    label?: string
    elapsedS?: number
    tokens?: number
    effort?: string
    compacting: boolean
    retry?: { attempt: number; of: number | null; inS: number | null; reason: string }
    thought?: string
  }
  response_content: { block: string; rows: [number, number]; tail: string }
  tool_menu: { menu: Menu | null }
  tool_running: { tool: ToolRef; elapsedS?: number; tail?: string[]; hook?: string }
  tool_result: {
    tool: ToolRef | null
    ok: boolean | null
    exitCode?: number
    added?: number
    removed?: number
    folded?: boolean
  }
  todo_list: { total: number; done: number; inProgress: number; open: number; items: TodoItem[] }
  parallel_agents: {
    count: number
    running: number
    agents: { name: string; kind?: string; state: string; elapsedS?: number; tokens?: number }[]
  }
  background_task: { count: number; tasks: { kind: 'shell' | 'agent' | 'workflow'; label?: string; state: string }[] }
  auth_required: { method: 'login' | 'key' | 'device' | 'paste' | 'expired'; url?: string; code?: string; menu?: Menu }
  error: {
    kind: 'api' | 'rate_limit' | 'usage_limit' | 'credit' | 'context_full' | 'model' | 'network' | 'mcp' | 'internal'
    status?: number
    message: string
    resetsAt?: string
    final: boolean
  }
  unknown: {
    recognised: boolean
    screen?: 'transcript' | 'help' | 'settings' | 'search' | 'overlay'
    close?: string
    exit?: { code: number | null; signal: string | null }
  }
}
