import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookWiring } from './adapter.js'

/** The relay's words for one hook. */
export function hookWords(wiring: HookWiring, event: string, { hold = false } = {}): string[] {
  return [...wiring.relay, event, ...(hold ? ['--hold'] : [])]
}

/** The same as a line, for agents that give a hook's command to a shell. */
export function hookLine(wiring: HookWiring, event: string, options?: { hold?: boolean }): string {
  return hookWords(wiring, event, options).map(quoteForShell).join(' ')
}

/** One word of a POSIX shell, whatever is in it. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Writes a file into the directory of the session, readable by its owner alone, and says where it is. */
export function writeSessionFile(wiring: HookWiring, name: string, text: string): string {
  const file = join(wiring.directory, name)
  writeFileSync(file, text, { mode: 0o600 })
  chmodSync(file, 0o600)
  return file
}
