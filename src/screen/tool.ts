import type { ToolRef } from './view.js'

const KINDS: [RegExp, ToolRef['kind']][] = [
  [/^(bash|shell|run|exec|command|terminal)/i, 'shell'],
  [/^(edit|update|patch|replace)/i, 'edit'],
  [/^(write|create)/i, 'write'],
  [/^(read|view|open|cat)/i, 'read'],
  [/^(grep|glob|search|find|list|explore)/i, 'search'],
  [/^(fetch|web)/i, 'fetch'],
  [/^(agent|task|explore)/i, 'agent'],
  [/^(mcp|calling|called)/i, 'mcp'],
]

/** Which tool a row names: `Bash(npm test)`, `Shell  npm test`, `Edit src/a.ts`. */
export function toolOf(text: string): ToolRef {
  const summary = text.split('\n')[0]!.trim()
  const match = /^(?<name>[\p{L}_][\w-]*)(?:\((?<inside>.*)\)?|\s+(?<behind>.*))?$/u.exec(summary)
  const name = match?.groups?.name ?? summary
  const subject = (match?.groups?.inside?.replace(/\)$/, '') ?? match?.groups?.behind ?? '').trim()
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
  return {
    name,
    kind,
    summary,
    ...(kind === 'shell' && subject && { command: subject }),
    ...((kind === 'edit' || kind === 'write' || kind === 'read') && subject && { path: subject }),
    ...(kind === 'fetch' && subject && { url: subject }),
  }
}
