import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookWiring } from './adapter.js'

/** The relay's command line for one hook. */
export function hookArgv(wiring: HookWiring, event: string, { hold = false } = {}): string[] {
  return [...wiring.relay, event, ...(hold ? ['--hold'] : [])]
}

/** The relay's command as a shell line, for agents that run hooks in a shell. */
export function hookLine(wiring: HookWiring, event: string, options?: { hold?: boolean }): string {
  return hookArgv(wiring, event, options).map(quoteForShell).join(' ')
}

export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Writes a file into the session directory, readable by its owner alone, and returns its path. */
export function writeSessionFile(wiring: HookWiring, name: string, text: string): string {
  const file = join(wiring.directory, name)
  writeFileSync(file, text, { mode: 0o600 })
  chmodSync(file, 0o600)
  return file
}
