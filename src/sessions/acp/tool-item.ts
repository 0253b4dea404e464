import type { BlockContent, ToolRef } from '../../screen/index.js'
import { lineDiff, shortenDiff, stripAnsi } from '../../text/index.js'
import { isRecord, type ToolCallUpdate } from './wire.js'

/** A tool call as far as the agent has described it: each update replaces the fields it names. */
export interface ToolItem {
  id: string
  call: ToolCallUpdate
  /** Terminals by id; a call names those that it runs in. */
  terminals: ReadonlyMap<string, ShownTerminal>
}

/** A command that Signalbox runs for the agent. */
export interface ShownTerminal {
  command: string
  output: string
  /** How many bytes of its output the agent asked to keep. */
  limit: number | undefined
}

/** What people see of a long output: its end. */
const SHOWN_MAX = 64 * 1024

/** The names that Signalbox uses for what agents call differently; others keep their title. */
const NAMES: Readonly<Record<string, string>> = {
  execute: 'Shell',
  edit: 'Edit',
  read: 'Read',
  search: 'Search',
  fetch: 'Fetch',
  delete: 'Delete',
  move: 'Move',
}

const KINDS: Readonly<Record<string, ToolRef['kind']>> = {
  execute: 'shell',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  read: 'read',
  search: 'search',
  fetch: 'fetch',
}

export function withUpdate(
  item: ToolItem | undefined,
  update: ToolCallUpdate,
  terminals: ToolItem['terminals'],
): ToolItem {
  const named = Object.entries(update).filter(([, value]) => value !== undefined && value !== null)
  return { id: update.toolCallId, call: { ...item?.call, ...Object.fromEntries(named) } as ToolCallUpdate, terminals }
}

export function isFinished({ call }: ToolItem): boolean {
  return call.status === 'completed' || call.status === 'failed'
}

/** The tool's own name if the agent gives one besides the protocol's fields, else by its kind. */
export function toolName({ call }: ToolItem): string {
  const own = ownName(call._meta)
  return own ?? NAMES[call.kind ?? ''] ?? call.title ?? 'Tool'
}

function ownName(meta: unknown): string | null {
  if (!isRecord(meta)) return null
  for (const fields of [meta, ...Object.values(meta)])
    if (isRecord(fields) && typeof fields.toolName === 'string') return fields.toolName
  return null
}

/** What the tool is called with: as the agent reports it, or from what it shows instead. */
export function toolInput(item: ToolItem): Record<string, unknown> {
  const { call } = item
  const raw = isRecord(call.rawInput) ? call.rawInput : {}
  if (call.kind === 'execute' && raw.command === undefined && raw.cmd === undefined)
    return { ...raw, command: terminalCommand(item) ?? unquoted(call.title ?? '') }
  const path = pathOf(item)
  const named = path !== null && !Object.values(raw).includes(path) ? { file_path: path } : {}
  const diff = diffOf(item)
  const isShown = diff !== null && Object.keys(raw).length === 0
  return { ...named, ...(isShown && { old_string: diff.oldText ?? '', new_string: diff.newText }), ...raw }
}

function toolRef(item: ToolItem): ToolRef {
  const { call } = item
  const input = toolInput(item)
  const isCommand = call.kind === 'execute' || terminalsOf(item).length > 0
  const command = typeof input.command === 'string' ? input.command : (terminalCommand(item) ?? undefined)
  const path = pathOf(item)
  const name = toolName(item)
  const title = unquoted(call.title ?? '')
  return {
    name,
    kind: KINDS[call.kind ?? ''] ?? 'other',
    summary: title === name ? '' : title,
    ...(isCommand && command !== undefined && { command }),
    ...(path !== null && { path }),
  }
}

/** The call, what it changed and what it printed. */
export function toolBlocks(item: ToolItem): BlockContent[] {
  const { call } = item
  const blocks: BlockContent[] = [{ kind: 'tool_call', tool: toolRef(item) }]
  const diff = diffOf(item)
  const output = outputOf(item)
  const isShown = isFinished(item) ? output !== '' || !diff : output !== '' && terminalsOf(item).length > 0
  if (isShown) {
    const lines = output === '' ? [] : output.split('\n')
    blocks.push({ kind: 'tool_result', lines, ok: isFinished(item) ? call.status === 'completed' : null })
  }
  if (diff) blocks.push({ kind: 'diff', lines: diffLines(diff.oldText ?? '', diff.newText) })
  return blocks
}

/** What the tool printed, as text. */
export function outputOf({ call: { content, rawOutput }, terminals }: ToolItem): string {
  const shown = (content ?? []).flatMap(part => {
    if (part.type === 'terminal') return [printedIn(terminals.get(part.terminalId))].filter(Boolean)
    return part.type === 'content' && part.content.type === 'text' ? [part.content.text] : []
  })
  if (shown.length > 0) return shown.join('\n').trimEnd()
  if (typeof rawOutput === 'string') return rawOutput.trimEnd()
  const output = isRecord(rawOutput) ? rawOutput.output : undefined
  return typeof output === 'string' ? output.trimEnd() : ''
}

/** The terminals that the call runs in. */
export function terminalsOf({ call }: ToolItem): string[] {
  return (call.content ?? []).flatMap(part => (part.type === 'terminal' ? [part.terminalId] : []))
}

function terminalCommand(item: ToolItem): string | null {
  return item.terminals.get(terminalsOf(item)[0] ?? '')?.command ?? null
}

/** Colours and moves of the cursor mean nothing in a conversation. */
function printedIn(terminal: ShownTerminal | undefined): string {
  return stripAnsi(terminal?.output ?? '')
    .replaceAll('\r\n', '\n')
    .slice(-SHOWN_MAX)
    .trimEnd()
}

function diffOf({ call }: ToolItem): { path: string; oldText?: string | null; newText: string } | null {
  const found = (call.content ?? []).find(part => part.type === 'diff')
  return found?.type === 'diff' ? found : null
}

function pathOf(item: ToolItem): string | null {
  return diffOf(item)?.path ?? item.call.locations?.[0]?.path ?? null
}

type DiffBlockLines = Extract<BlockContent, { kind: 'diff' }>['lines']

const CONTEXT = 3
const SIGNS = { same: ' ', added: '+', removed: '-' } as const

function diffLines(before: string, after: string): DiffBlockLines {
  const lines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
  return shortenDiff(lineDiff(lines(before), lines(after)), CONTEXT).map(line =>
    line.kind === 'gap'
      ? { sign: '@', number: null, text: `${line.count} unchanged lines` }
      : { sign: SIGNS[line.kind], number: line.number, text: line.text },
  )
}

/** Agents put a command into backquotes in the title of its call. */
function unquoted(title: string): string {
  return /^`([^`]+)`$/.exec(title.trim())?.[1] ?? title.trim()
}
