import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ToolCall } from '../player/surface.js'
import { type RunningCommand, startCommand } from './run-command.js'

/** What the tools of the agent work with: this machine itself, or what its client offers. */
export interface Tools {
  start(call: ToolCall, command: string | string[], cwd: string, onOutput: (chunk: string) => void): RunningCommand
  /** Null if there is no such file. */
  read(file: string): Promise<string | null>
  write(file: string, text: string): Promise<void>
}

export const OWN_TOOLS: Tools = {
  start: (_, command, cwd, onOutput) => startCommand(command, cwd, onOutput),
  read: async file => readWhole(file),
  write: async (file, text) => changeFile(file, text),
}

export function readWhole(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Replaces a file in one step, so that readers never see half of it. */
function changeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, file)
}
