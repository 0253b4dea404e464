import { visibleText } from '../../../src/text/visible-text'
import { lookAlikes } from '../../../src/text/visible-value'
import type { Approval, DisplayBlock } from '../api/types'
import { type DiffLine, diffTexts, note } from '../diff/diff-lines'

/** A named value of the request, as the ledger shows it. */
export interface RequestPart {
  label: string
  pieces: DisplayBlock[]
  text: string
}

export interface RequestDiff {
  file: string
  lines: DiffLine[]
}

export interface RequestParts {
  /** The exact command; null if the request has none. */
  command: RequestPart | null
  diffs: RequestDiff[]
  /** Short values: a path, a number, a description. */
  facts: RequestPart[]
  /** Everything else. */
  texts: RequestPart[]
}

const COMMAND = /^(command|cmd|script)$/i
const OLD = /^(find|old|old_string|oldText|old_str|search)$/i
const NEW = /^(replace|new|new_string|newText|new_str|replacement)$/i
const CONTENT = /^(content|file_text|contents)$/i
const PATH = /^(file_path|filePath|path|notebook_path|absolute_path|target_file|file|filename)$/i
const FACT_MAX = 120

/**
 * The request in the parts that a person reads: what it runs, what it changes, and the rest. The
 * values are those of the ledger's display, which the decision names by its hash; a list of edits,
 * which the display has as JSON, is read from the input.
 */
export function requestParts({ display, request, kind }: Pick<Approval, 'display' | 'request' | 'kind'>): RequestParts {
  const parts = partsOf(display.blocks)
  // A gate without a text of its own has only its question, which is the title.
  if (kind === 'gate' && parts.every(({ label, text }) => label === '' && text.trim() === display.title))
    return { command: null, diffs: [], facts: [], texts: [] }
  if (kind !== 'permission' || display.isCut) return { command: null, diffs: [], ...sorted(parts) }
  const find = (pattern: RegExp) => parts.find(({ label }) => pattern.test(label))
  const path = find(PATH)
  const [before, after, content] = [find(OLD), find(NEW), find(CONTENT)]
  const patch = patchOf(parts, request.input)
  const edits = editsOf(request.input)
  const used = new Set<RequestPart | undefined>()
  const diffs: RequestDiff[] = []
  const file = path?.text ?? ''
  if (patch) {
    used.add(patch.part)
    diffs.push(...patch.diffs)
  } else if (before || after) {
    used.add(before).add(after)
    diffs.push({ file, lines: diffTexts(before?.text ?? '', after?.text ?? '') })
  } else if (edits) {
    used.add(find(/^edits$/))
    diffs.push({ file, lines: edits.flatMap((edit, index) => [note(`edit ${index + 1} of ${edits.length}`), ...edit]) })
  } else if (content && path) {
    used.add(content)
    diffs.push({ file, lines: diffTexts('', content.text) })
  }
  if (diffs.length > 0) used.add(path)
  for (const diff of diffs) diff.lines = diff.lines.map(line => ({ ...line, imitations: lookAlikes(line.text) }))
  const command = diffs.length === 0 ? (find(COMMAND) ?? null) : null
  used.add(command ?? undefined)
  return { command, diffs, ...sorted(parts.filter(part => !used.has(part))) }
}

function sorted(parts: readonly RequestPart[]): Pick<RequestParts, 'facts' | 'texts'> {
  const isFact = ({ label, text }: RequestPart) => label !== '' && text.length <= FACT_MAX && !text.includes('\n')
  return { facts: parts.filter(isFact), texts: parts.filter(part => !isFact(part)) }
}

function partsOf(blocks: readonly DisplayBlock[]): RequestPart[] {
  const parts: RequestPart[] = []
  for (const block of blocks) {
    if (block.kind === 'label') parts.push({ label: block.text ?? '', pieces: [], text: '' })
    else {
      if (parts.length === 0) parts.push({ label: '', pieces: [], text: '' })
      const part = parts.at(-1)!
      part.pieces.push(block)
      part.text += block.text ?? ''
    }
  }
  return parts
}

/** The edits of a tool that makes several in one file. */
function editsOf(input: unknown): DiffLine[][] | null {
  const edits = (input as { edits?: unknown } | null)?.edits
  if (!Array.isArray(edits) || edits.length === 0) return null
  const all: DiffLine[][] = []
  for (const edit of edits as Record<string, unknown>[]) {
    const before = edit?.old_string ?? edit?.oldText
    const after = edit?.new_string ?? edit?.newText
    if (typeof before !== 'string' || typeof after !== 'string') return null
    all.push(diffTexts(shown(before), shown(after)))
  }
  return all
}

function shown(text: string): string {
  return visibleText(text, { tabs: 'keep' })
}

/** Codex's patch: `*** Update File: a.js`, then lines with `+`, `-` or a blank. */
function patchOf(
  parts: readonly RequestPart[],
  input: unknown,
): { part: RequestPart | undefined; diffs: RequestDiff[] } | null {
  const part = parts.find(({ text }) => text.startsWith('*** Begin Patch'))
  if (!part || input === null) return null
  const diffs: RequestDiff[] = []
  for (const line of part.text.split('\n')) {
    const header = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line)
    if (header) diffs.push({ file: header[2]!, lines: header[1] === 'Update' ? [] : [note(`${header[1]} file`)] })
    const lines = diffs.at(-1)?.lines
    if (!lines || header) continue
    if (line.startsWith('***')) {
      if (!/^\*\*\* End/.test(line)) lines.push(note(line.slice(4)))
    } else if (line.startsWith('@@')) lines.push(note(line.slice(2).trim() || '…'))
    else {
      const kind = { '+': 'added', '-': 'removed' }[line[0] ?? ''] as 'added' | 'removed' | undefined
      lines.push({ kind: kind ?? 'same', before: null, after: null, text: line.slice(1), changed: [] })
    }
  }
  return diffs.length > 0 ? { part, diffs } : null
}
