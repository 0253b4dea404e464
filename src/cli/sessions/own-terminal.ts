import type { CommandContext } from '../context.js'

/** The environment as the daemon takes it. */
export function stringEntries(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** The size of the person's own terminal, where they have one. */
export function terminalSize(context: CommandContext): { cols: number; rows: number } | null {
  return context.isOutputTty && process.stdout.columns
    ? { cols: process.stdout.columns, rows: process.stdout.rows }
    : null
}
