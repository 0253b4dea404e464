import type { ToolRef } from './view.js'

const KINDS: [RegExp, ToolRef['kind']][] = [
  [/^(bash|shell|run|ran\b|exec|command|terminal)/i, 'shell'],
  [/^(edit|update|patch|replace)/i, 'edit'],
  [/^(write|create|added\b)/i, 'write'],
  [/^(read|view|open|cat)/i, 'read'],
  [/^(grep|glob|search|find|list|explore)/i, 'search'],
  [/^(fetch|web)/i, 'fetch'],
  [/^(agent|task|explore)/i, 'agent'],
  [/^(mcp|calling|called)/i, 'mcp'],
]

/** The edge of a box, right-aligned text, how to unfold it, how long it took. */
const ASIDE =
  /\s+[│┃█]\s*$|\s{3,}\S{1,16}(?:\s+[│┃█])?\s*$|\s+\((?:ctrl|alt|cmd)\+\S+ to \w+\)\s*$|\s+· (?:\d+m )?\d+s\s*$/u
const SIGN = /^(?:[^\p{L}\p{N}\s$"'`([{/_.~-]\s+)+/u
/** The result for a file: `(+1 -1)`, `→ Accepted (+1, -1)`. */
const OUTCOME = /\s+(?:→ .*|\(?\+\d+,? -\d+\)?.*)$/u

/** The tool that a row names: `Bash(npm test)`, `✓ Edit notes.md (+1 -1)`, `$ npm test`. */
export function toolOf(text: string): ToolRef {
  const summary = text.split('\n')[0]!.replace(ASIDE, '').trim().replace(SIGN, '')
  if (summary.startsWith('$ ')) return { name: 'shell', kind: 'shell', summary, command: summary.slice(2) }
  const match = /^(?<name>[\p{L}_][\w-]*)(?:\s?\((?<inside>.*)\)?|\s+(?<after>.*))?$/u.exec(summary)
  const name = match?.groups?.name ?? summary
  const subject = (match?.groups?.inside?.replace(/\)$/, '') ?? match?.groups?.after ?? '').trim()
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
  const path = subject.replace(OUTCOME, '')
  const isFile = (kind === 'edit' || kind === 'write' || kind === 'read') && path !== '' && !/^\d+ \p{L}+/u.test(path)
  return {
    name,
    kind,
    summary,
    ...(kind === 'shell' && subject && { command: subject }),
    ...(isFile && { path }),
    ...(kind === 'fetch' && subject && { url: subject }),
  }
}
