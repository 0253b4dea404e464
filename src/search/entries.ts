import { contentText, requestContent, requestTitle } from '../approvals/index.js'
import { type EventType, isEvent } from '../events/index.js'
import type { StoredEvent } from '../store/index.js'

export const ENTRY_KINDS = ['prompt', 'message', 'request', 'session', 'run'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** A text that can be found, and where it belongs. */
export interface Entry {
  /** A later entry with the same name replaces it. */
  ref: string
  kind: EntryKind
  session: string | null
  run: string | null
  /** Null: that of its session. */
  project: string | null
  at: number
  title: string
  text: string
}

export const SEARCHED_TYPES: readonly EventType[] = [
  'session.started',
  'session.renamed',
  'session.forgotten',
  'turn.opened',
  'turn.prompted',
  'message.final',
  'approval.requested',
  'run.created',
]

/** Longer texts are searched up to this length. */
const TEXT_MAX = 256 * 1024

interface MessageBlock {
  kind: string
  tool?: { name: string; summary: string; command?: string; path?: string; url?: string }
  lines?: readonly (string | { text: string })[]
}

/** The entry that an event makes; null if it makes none. Pure. */
export function entryOf(event: StoredEvent): Entry | null {
  const id = event.stream.slice(event.stream.indexOf('/') + 1)
  const base = { session: null, run: null, project: null, at: event.at, title: '' }
  if (isEvent(event, 'session.started')) {
    const { agent, label = '', project, args } = event.data
    const text = [label, agent, ...args, project].join(' ')
    return { ...base, ref: `session/${id}`, kind: 'session', session: id, project, title: label || agent, text }
  }
  if (isEvent(event, 'session.renamed') && event.data.label !== null) {
    const { label } = event.data
    return { ...base, ref: `name/${id}`, kind: 'session', session: id, title: label, text: label }
  }
  if (isEvent(event, 'turn.opened') || isEvent(event, 'turn.prompted')) {
    const { turn, prompt = '' } = event.data
    if (prompt.trim() === '') return null
    return { ...base, ref: `prompt/${id}/${turn}`, kind: 'prompt', session: id, text: cut(prompt) }
  }
  if (isEvent(event, 'message.final')) {
    const { message, markdown, blocks } = event.data
    const tools = (blocks as MessageBlock[]).flatMap(toolTexts)
    const text = cut([plainText(markdown), ...tools.filter(tool => !markdown.includes(tool))].join('\n'))
    return text.trim() === '' ? null : { ...base, ref: `message/${id}/${message}`, kind: 'message', session: id, text }
  }
  if (isEvent(event, 'approval.requested')) {
    const { display, subject, request } = event.data
    const paths = (request.targets ?? []).map(({ path }) => path)
    const content = contentText(requestContent(event.data))
    const text = cut([content, ...paths.filter(path => !content.includes(path)), display.title].join('\n'))
    const { session = null, run = null, project } = subject
    return {
      ...base,
      ref: `request/${id}`,
      kind: 'request',
      session,
      run,
      project,
      title: requestTitle(event.data),
      text,
    }
  }
  if (isEvent(event, 'run.created')) {
    const { title, project, kind, input } = event.data
    const text = cut([title, ...inputTexts(input), kind].join('\n'))
    return { ...base, ref: `run/${id}`, kind: 'run', run: id, project, title, text }
  }
  return null
}

/** Markdown as people read it: an excerpt shows words, not fences and asterisks. */
function plainText(markdown: string): string {
  return markdown
    .replace(/^\s*(?:```|~~~).*$/gm, '')
    .replace(/^\s*\|?[\s:|-]*-{3,}[\s:|-]*\|?\s*$/gm, '')
    .replace(/^\s*(?:#{1,6}|>)\s+/gm, '')
    .replace(/\*\*([^*\n]+)\*\*/g, '$1')
    .replace(/`([^`\n]+)`/g, '$1')
    .replace(/^\s*\|(.*)\|\s*$/gm, (_, row: string) => row.replace(/\s*\|\s*/g, ' · '))
    .replace(/\n{3,}/g, '\n\n')
}

/**
 * Only the text of an input that a person wrote or reads: no names of fields, hashes or syntax of
 * DOT.
 */
function inputTexts(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    if (name === 'dot') return [...value.matchAll(QUOTED)].map(([, text = '']) => text.replace(/\\(.)/g, unescaped))
    return value.trim() === '' || HASHES.test(name) ? [] : [value]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => inputTexts(part, key))
}

/** Labels, prompts and commands of a graph are quoted. */
const QUOTED = /"((?:[^"\\]|\\.)*)"/g
const HASHES = /^(hash|base|commit|trusted|id)$/i

function unescaped(_: string, character: string): string {
  return /[nlr]/.test(character) ? ' ' : character
}

function toolTexts({ kind, tool, lines }: MessageBlock): string[] {
  if (tool)
    return [tool.command, tool.path, tool.url, tool.summary].filter(
      part => part !== undefined && part !== '',
    ) as string[]
  if (kind !== 'tool_result' && kind !== 'diff') return []
  return (lines ?? []).map(line => (typeof line === 'string' ? line : line.text))
}

function cut(text: string): string {
  return text.length > TEXT_MAX ? text.slice(0, TEXT_MAX) : text
}
