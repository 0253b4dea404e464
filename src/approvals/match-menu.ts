import type { Menu } from '../screen/index.js'
import { toolUseOnScreen } from './request-from-menu.js'
import { readToolUse, type ToolUse } from './risk/tool-input.js'

/** The part of a menu that tells what it asks about. */
export type ShownMenu = Pick<Menu, 'kind' | 'body' | 'question' | 'title' | 'tool'>

/**
 * How a menu relates to a tool use that the agent reported. `whole`: it shows the command, path or
 * URL, or the tool with all its values. `part`: it shows a part of them, because the rest did not
 * fit. `other`: it clearly shows another target for the same kind of use. `unclear`: it shows
 * neither.
 */
export type MenuMatch = 'whole' | 'part' | 'other' | 'unclear'

/** A shorter text may be on the screen by chance: it counts only as a line of its own. */
const WORD_MIN_CHARACTERS = 5
/** A line of at least this many characters identifies the command that it is a part of. */
const PART_MIN_CHARACTERS = 12

export function matchMenu(menu: ShownMenu, tool: string, input: unknown): MenuMatch {
  const use = readToolUse(tool, input)
  const name = targetOf(use)
  const lines = [menu.title ?? '', ...menu.body, menu.question].map(withoutBlanks).filter(line => line !== '')
  if (name === null || name === '') return matchByName(lines, tool, input)
  const screen = withoutBlanks([...menu.body, menu.question].join('\n'))
  const wanted = withoutBlanks(name)
  const isThere =
    wanted.length < WORD_MIN_CHARACTERS
      ? lines.some(line => line.replace(/^\$/, '') === wanted)
      : screen.includes(wanted)
  if (isThere || (isFileUse(use) && haveSameEnd(screen, wanted))) return 'whole'
  if (lines.some(line => isPartOf(line, wanted))) return 'part'
  return contradiction(use, toolUseOnScreen(menu)) === null ? 'unclear' : 'other'
}

/** How the report and the menu contradict each other, in words; null if they do not. */
export function mismatchOf(menu: ShownMenu, tool: string, input: unknown): string | null {
  return contradiction(readToolUse(tool, input), toolUseOnScreen(menu))
}

/** How many characters identify the use: of `ls` and `ls -la` the menu of the second shows both. */
export function specificity(tool: string, input: unknown): number {
  return targetOf(readToolUse(tool, input))?.length ?? 0
}

/**
 * A tool without a command, path or URL, such as one of an MCP server: by its name and its values.
 */
function matchByName(lines: readonly string[], tool: string, input: unknown): MenuMatch {
  const screen = lines.join('\n').toLowerCase()
  const names = tool
    .toLowerCase()
    .split('__')
    .filter(part => part !== 'mcp')
  const isNamed = names.every(part => part.length >= WORD_MIN_CHARACTERS - 1 && screen.includes(withoutBlanks(part)))
  if (!isNamed) return 'unclear'
  const values = [...scalarsIn(input)].map(value => withoutBlanks(String(value)).toLowerCase())
  return values.every(value => screen.includes(value)) ? 'whole' : 'part'
}

/**
 * A row of a long command. A truncated row ends in an ellipsis; the prompt sign is not part of the
 * command.
 */
function isPartOf(line: string, wanted: string): boolean {
  const text = line.replace(/^\$/, '').replace(/(?:…|\.{3})$/u, '')
  return text.length >= PART_MIN_CHARACTERS && wanted.includes(text)
}

/**
 * How a report and the screen contradict each other: the same kind of tool use, with different
 * targets.
 */
function contradiction(structured: ToolUse, onScreen: ToolUse | null): string | null {
  if (!onScreen) return null
  const wanted = targetOf(structured)
  const seen = targetOf(onScreen)
  if (wanted === null || seen === null) return null
  const isSameKind = structured.kind === onScreen.kind || (isFileUse(structured) && isFileUse(onScreen))
  return isSameKind && withoutBlanks(wanted) !== withoutBlanks(seen)
    ? `the agent asks for ${wanted}, the menu shows ${seen}`
    : null
}

/** Agents show paths relative to the project: the last two segments must be equal. */
function haveSameEnd(screen: string, path: string): boolean {
  const segments = path.split('/').filter(segment => segment !== '')
  return segments.length >= 2 && screen.includes(segments.slice(-2).join('/'))
}

/** The command, path or URL of a tool use. */
function targetOf(use: ToolUse): string | null {
  if (use.kind === 'command') {
    if (typeof use.command === 'string') return use.command
    const isShell = use.command.length === 3 && /^-l?c$/.test(use.command[1]!)
    return isShell ? use.command[2]! : use.command.join(' ')
  }
  if (use.kind === 'read' || use.kind === 'write') return use.paths[0] ?? null
  return use.kind === 'fetch' ? (use.urls[0] ?? null) : null
}

function isFileUse(use: ToolUse): boolean {
  return use.kind === 'read' || use.kind === 'write'
}

function* scalarsIn(value: unknown): Generator<string | number | boolean> {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') yield value
  else if (Array.isArray(value)) for (const item of value) yield* scalarsIn(item)
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* scalarsIn(item)
}

/** Blanks and line ends depend on the width of the screen, not on the request. */
export function withoutBlanks(text: string): string {
  return text.replace(/\s+/gu, '')
}
