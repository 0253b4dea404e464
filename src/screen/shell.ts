import type { Frame } from '../terminal/index.js'
import { isBlank, type ScreenRow } from './screen-row.js'

/*
 * Shells and line-oriented programs. Whether one waits for a command or runs one shows at a single
 * place: the cursor. A prompt is the text from the start of the row to the cursor if nothing
 * follows it in the row or below. Once a prompt is known, the same text counts without a pattern,
 * and another text that only ends in `$` does not: programs print dollar signs. A cursor anywhere
 * else means that a command is running.
 */
export type ShellScreen =
  | { kind: 'prompt'; program: 'shell' | 'repl' | 'debugger' | 'pager' | 'editor'; prompt: string; draft: string }
  | { kind: 'running'; command: string | null }

const REPLS: [RegExp, 'repl' | 'debugger'][] = [
  [/^(?:>>>|\.\.\.|In \[\d+\]:|\s*\.\.\.:|julia>|irb\([^)]*\)[^>]*>|ghci>|scala>|iex\(\d+\)>|λ>) ?$/u, 'repl'],
  [/^> $/u, 'repl'],
  [/^\.\.\. ?$/u, 'repl'],
  // A statement continues: second rows of sqlite and mysql.
  [/^\s+(?:\.\.\.|-)> ?$/u, 'repl'],
  [/^[a-zA-Z][\w-]{1,20}(?:\([\w-]+\))?[>#=]{1,2} ?$/u, 'repl'],
  [/^(?:\(Pdb\+*\)|\(gdb\)|\(lldb\)|ipdb>|debug>|\(rdb:\d+\)|\(byebug\)) ?$/u, 'debugger'],
]
const SHELL = /[$#%❯➜»›λ] ?$|[\w~/\])]> ?$/u
const PAGER = /^(?::|\(END\)|--More--.*|.* \(END\)|lines \d+-\d+.*|.*\(press h for help or q to quit\)) ?$/u
const EDITOR = /^(?:-- (?:INSERT|VISUAL|REPLACE|NORMAL) --|:.*)$/u
const PROMPT_MAX = 120

export function readShell(frame: Frame, rows: readonly ScreenRow[], learned: string | null): ShellScreen | null {
  const row = rows[frame.cursor.y]
  if (!row) return null
  const fullscreen = readFullscreen(frame, rows, row)
  if (fullscreen) return fullscreen
  // A program that hides the cursor does not wait at it: a row that ends in a prompt glyph is
  // drawn.
  const isHidden = !frame.cursor.visible && frame.isPlainText !== true
  const before = row.text.slice(0, frame.cursor.x).padEnd(frame.cursor.x)
  const isLast = rows.slice(row.index + 1).every(isBlank)
  const isAtEnd = row.text.length <= frame.cursor.x
  const isKnown = learned !== null && mask(before) === mask(learned)
  // A known prompt with text after it is a draft; it must not count as a new prompt if it ends in a
  // dollar sign.
  if (isLast && learned !== null && !isKnown && mask(row.text).startsWith(mask(learned).trimEnd())) {
    return { kind: 'prompt', program: 'shell', prompt: learned, draft: row.text.slice(learned.trimEnd().length).trim() }
  }
  if (isLast && isAtEnd && !isHidden) {
    const prompt = readPrompt(before, learned)
    if (prompt) return prompt
  }
  return learned === null ? null : { kind: 'running', command: lastCommand(rows, row.index, learned) }
}

/** The prompt without its variable parts: numbers, and the directory of most prompts. */
function mask(text: string): string {
  return text.replace(/\d+/gu, '0')
}

function readPrompt(before: string, learned: string | null): ShellScreen | null {
  const text = before.trimEnd()
  if (text === '' || before.length > PROMPT_MAX) return null
  const state = (kind: 'shell' | 'repl' | 'debugger' | 'pager'): ShellScreen => ({
    kind: 'prompt',
    program: kind,
    prompt: before,
    draft: '',
  })
  if (learned !== null && mask(before) === mask(learned)) return state('shell')
  const repl = REPLS.find(([pattern]) => pattern.test(before) || pattern.test(text))
  if (repl) return state(repl[1])
  if (PAGER.test(text)) return state('pager')
  if (!SHELL.test(before)) return null
  // If a prompt is known, a new one must look like it: the same last character, and not only that
  // character.
  if (learned === null) return state('shell')
  const isAlike = text.length >= learned.trimEnd().length / 2 || isSamePromptElsewhere(text, learned)
  return text.at(-1) === learned.trimEnd().at(-1) && isAlike ? state('shell') : null
}

/** The same prompt in another directory: the text before the path is the same. */
function isSamePromptElsewhere(text: string, learned: string): boolean {
  const path = learned.search(/[~/]/u)
  return path >= 2 && text.startsWith(learned.slice(0, path)) && /[~/]/u.test(text.slice(path))
}

/** Editors and pagers use the whole screen and wait for a key. */
function readFullscreen(frame: Frame, rows: readonly ScreenRow[], row: ScreenRow): ShellScreen | null {
  if (frame.buffer !== 'alternate') return null
  const last = rows.findLast(candidate => !isBlank(candidate))
  if (!last) return null
  const text = last.text.trim()
  const tildes = rows.filter(candidate => /^~\s*$/u.test(candidate.text)).length
  if (tildes >= 3 || EDITOR.test(text) || rows.some(candidate => /^\^G (?:Help|Get Help)/u.test(candidate.text)))
    return { kind: 'prompt', program: 'editor', prompt: '', draft: '' }
  if (PAGER.test(text) && row.index >= last.index) return { kind: 'prompt', program: 'pager', prompt: text, draft: '' }
  return null
}

function lastCommand(rows: readonly ScreenRow[], before: number, learned: string): string | null {
  const start = mask(learned).trimEnd()
  const row = rows.slice(0, before + 1).findLast(candidate => mask(candidate.text).startsWith(start))
  return row ? row.text.slice(learned.trimEnd().length).trim() : null
}
