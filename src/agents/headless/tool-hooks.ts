import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownProgram } from '../../process/index.js'
import { quoteForShell } from '../hook-command.js'
import { parseRecord, textOf } from '../json-lines.js'

/**
 * The shell command that an agent runs for a hook: our program, which runs the command of the
 * graph.
 */
export function toolHookLine(when: 'pre' | 'post', command: string, directory: string): string {
  const program = [process.execPath, ownProgram('agents/headless/tool-hook-main')]
  return [...program, '--when', when, '--log', logOf(directory), '--', command].map(quoteForShell).join(' ')
}

/** What the hooks of a step refused or failed at, a sentence each. */
export function readToolHookLog(directory: string): string[] {
  const file = logOf(directory)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => {
      const record = parseRecord(line)
      if (!record) return []
      const why = textOf(record.text) || `exit code ${String(record.code)}`
      const tool = textOf(record.tool) ?? 'a tool'
      return [
        record.when === 'pre'
          ? `tool_hooks.pre refused ${tool}: ${why}`
          : `tool_hooks.post failed after ${tool}: ${why}`,
      ]
    })
}

function logOf(directory: string): string {
  return join(directory, 'tool-hooks.ndjson')
}
