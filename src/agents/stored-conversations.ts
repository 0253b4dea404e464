import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { movableDirectory } from './home-directory.js'

/** A conversation that an agent has on disk, and can resume. */
export interface StoredConversation {
  agent: string
  /** The agent's own id. */
  id: string
  cwd: string
  /** The beginning of its first prompt; empty if the first part of the file has none. */
  prompt: string
  /** When it was last written. */
  at: number
}

/** Only the beginning of a file is read: directory and first prompt are there. */
const HEAD_BYTES = 256 * 1024
/** How many of the newest files of each agent are read. */
const FILES_MAX = 200
const PROMPT_MAX = 200
const ID = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/

/** Conversations of Claude Code and Codex, newest first. Files that cannot be read are left out. */
export function storedConversations(env: NodeJS.ProcessEnv): StoredConversation[] {
  const claude = join(movableDirectory(env, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects')
  const codex = join(movableDirectory(env, 'CODEX_HOME', '.codex'), 'sessions')
  const found = [
    ...newest(below(claude, 1)).map(file => conversationOf('claude', file, readClaude)),
    ...newest(below(codex, 3)).map(file => conversationOf('codex', file, readCodex)),
  ]
  return found.filter(conversation => conversation !== null).sort((a, b) => b.at - a.at)
}

type Read = (record: Record<string, unknown>) => { cwd?: string | undefined; prompt?: string | undefined }

function conversationOf(
  agent: string,
  { path, at }: { path: string; at: number },
  read: Read,
): StoredConversation | null {
  const id = ID.exec(basename(path))?.[1]
  if (id === undefined) return null
  let [cwd, prompt] = ['', '']
  for (const record of headRecords(path)) {
    const fields = read(record)
    cwd ||= fields.cwd ?? ''
    prompt ||= fields.prompt?.trim() ?? ''
    if (cwd !== '' && prompt !== '') break
  }
  // Without its directory the agent would not find it; a file without a prompt has nothing to
  // resume.
  return cwd === '' || prompt === '' ? null : { agent, id, cwd, prompt: prompt.slice(0, PROMPT_MAX), at }
}

function readClaude({ type, cwd, isMeta, isSidechain, message }: Record<string, unknown>): ReturnType<Read> {
  const isPrompt = type === 'user' && isMeta !== true && isSidechain !== true
  return { cwd: textOf(cwd), prompt: isPrompt ? contentText(field(message, 'content')) : undefined }
}

function readCodex({ type, payload }: Record<string, unknown>): ReturnType<Read> {
  if (type === 'session_meta') return { cwd: textOf(field(payload, 'cwd')) }
  const isPrompt = type === 'response_item' && field(payload, 'type') === 'message' && field(payload, 'role') === 'user'
  return { prompt: isPrompt ? contentText(field(payload, 'content')) : undefined }
}

/** A text, or the first text of a list of parts. Tags are commands of the agent, not prompts. */
function contentText(content: unknown): string | undefined {
  const text = Array.isArray(content) ? content.map(part => textOf(field(part, 'text'))).find(Boolean) : textOf(content)
  return text?.startsWith('<') ? undefined : text
}

function headRecords(path: string): Record<string, unknown>[] {
  const lines = headOf(path).split('\n')
  return lines.flatMap(line => {
    try {
      const record = JSON.parse(line) as unknown
      return typeof record === 'object' && record !== null ? [record as Record<string, unknown>] : []
    } catch {
      // The last line is cut, or the agent is writing it.
      return []
    }
  })
}

function headOf(path: string): string {
  const buffer = Buffer.alloc(HEAD_BYTES)
  const file = openSync(path, 'r')
  try {
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

function below(directory: string, depth: number): string[] {
  const entries = (() => {
    try {
      return readdirSync(directory, { withFileTypes: true })
    } catch {
      return []
    }
  })()
  return depth === 0
    ? entries.filter(entry => entry.isFile() && entry.name.endsWith('.jsonl')).map(({ name }) => join(directory, name))
    : entries.filter(entry => entry.isDirectory()).flatMap(({ name }) => below(join(directory, name), depth - 1))
}

function newest(paths: readonly string[]): { path: string; at: number }[] {
  const dated = paths.map(path => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
  return dated.sort((a, b) => b.at - a.at).slice(0, FILES_MAX)
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
