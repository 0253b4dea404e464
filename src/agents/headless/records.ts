import type { ActivityBody, ErrorClass, JsonPart, ToolKind, UsageActivity } from '../../activity/index.js'
import { type JsonRecord, numberOf } from '../json-lines.js'

/** A line that is not a record of the agent. */
export function rawText(part: Extract<JsonPart, { kind: 'text' }>, from?: 'stderr'): ActivityBody {
  const { text, malformed, truncated } = part
  return { type: 'raw', text, ...(malformed && { malformed }), ...(truncated && { truncated }), ...(from && { from }) }
}

/** An unknown kind of record: kept as it is. */
export function rawRecord(record: JsonRecord): ActivityBody {
  return { type: 'raw', text: JSON.stringify(record) }
}

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  400: 'config',
  401: 'auth',
  402: 'budget',
  403: 'auth',
  404: 'config',
  408: 'network',
  413: 'context_length',
  429: 'rate_limit',
  500: 'overloaded',
  502: 'overloaded',
  503: 'overloaded',
  504: 'overloaded',
  529: 'overloaded',
}

function classOfStatus(status: number): ErrorClass {
  return BY_STATUS[status] ?? 'unknown'
}

/** The status inside a sentence (`unexpected status 401`), for agents without a field. */
function statusIn(text: string): number | undefined {
  const found = /(?:\bstatus(?:\s+code)?|\bHTTP|"code"|\bError(?:\s+code)?)\W{0,3}(\d{3})\b/i.exec(text)?.[1]
  return found !== undefined && BY_STATUS[Number(found)] !== undefined ? Number(found) : undefined
}

export function errorOf(text: string, about: { status?: number | undefined; class?: ErrorClass } = {}): ActivityBody {
  const status = about.status ?? statusIn(text)
  return {
    type: 'error',
    class: about.class ?? (status === undefined ? 'unknown' : classOfStatus(status)),
    text,
    ...(status !== undefined && { status }),
  }
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: 'shell',
  shell: 'shell',
  local_shell: 'shell',
  run_shell_command: 'shell',
  run_commands: 'shell',
  execute_command: 'shell',
  exec_command: 'shell',
  read: 'read',
  view: 'read',
  read_file: 'read',
  read_files: 'read',
  read_many_files: 'read',
  list: 'read',
  ls: 'read',
  list_directory: 'read',
  edit: 'write',
  write: 'write',
  multiedit: 'write',
  notebookedit: 'write',
  notebook_edit: 'write',
  write_file: 'write',
  replace: 'write',
  replace_in_file: 'write',
  editor: 'write',
  create: 'write',
  str_replace: 'write',
  patch: 'write',
  apply_patch: 'write',
  grep: 'search',
  glob: 'search',
  grep_search: 'search',
  search_file_content: 'search',
  search_files: 'search',
  webfetch: 'web',
  websearch: 'web',
  web_fetch: 'web',
  web_search: 'web',
  google_web_search: 'web',
  task: 'agent',
  agent: 'agent',
  todowrite: 'plan',
  todo_write: 'plan',
  write_todos: 'plan',
  exitplanmode: 'plan',
  update_plan: 'plan',
}

export function kindOfTool(name: string): ToolKind {
  return KINDS[name.toLowerCase()] ?? 'other'
}

/** Tokens as an activity; absent values are omitted. */
export function usageOf(
  scope: UsageActivity['scope'],
  counts: Record<'input' | 'output', unknown> &
    Partial<Record<'cacheRead' | 'cacheWrite' | 'reasoning' | 'costUsd', unknown>>,
  model?: string,
): UsageActivity {
  const usage: UsageActivity = {
    type: 'usage',
    scope,
    input: numberOf(counts.input),
    output: numberOf(counts.output),
  }
  for (const key of ['cacheRead', 'cacheWrite', 'reasoning', 'costUsd'] as const)
    if (typeof counts[key] === 'number') usage[key] = numberOf(counts[key])
  if (model !== undefined) usage.model = model
  return usage
}
