import { styleText } from 'node:util'

/** The world of a command: streams, environment, terminal. */
export interface CommandContext {
  env: NodeJS.ProcessEnv
  cwd: string
  /** Input and output are a terminal: only then may a command ask the person. */
  isInteractive: boolean
  isOutputTty: boolean
  columns: number
  /** A line on standard output. */
  out(line: string): void
  /** Text on standard output without a newline. */
  write(text: string | Uint8Array): void
  /** A line on standard error. */
  note(line: string): void
  /** A line on standard error if a person reads it: what a command waits for. */
  progress(line: string): void
  json(value: unknown): void
  style(format: Style, text: string): string
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta' | 'inverse'

export function processContext(): CommandContext {
  const isOutputTty = Boolean(process.stdout.isTTY)
  const useColour = isOutputTty && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  return {
    env: process.env,
    cwd: process.cwd(),
    isInteractive: Boolean(process.stdin.isTTY) && isOutputTty,
    isOutputTty,
    columns: process.stdout.columns || 80,
    out: line => void process.stdout.write(`${line}\n`),
    write: text => void process.stdout.write(text),
    note: line => void process.stderr.write(`${line}\n`),
    progress: line => void (process.stderr.isTTY && process.stderr.write(`${line}\n`)),
    json: value => void process.stdout.write(`${JSON.stringify(value)}\n`),
    style: (format, text) => (useColour ? styleText(format, text) : text),
  }
}
