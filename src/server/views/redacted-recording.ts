import { recordingBytes } from '../../terminal/recording/index.js'
import type { Redactor } from '../../text/index.js'

/**
 * A recording as it is sent: secrets in what was shown and typed are replaced by marks of the same
 * width. The file itself stays as it was written, because screens are read from it again. A secret
 * that the program wrote in pieces is not found. A line that is still being written is left out.
 */
export async function* redactedRecording(path: string, redactor: Redactor): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of recordingBytes(path)) {
    const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n')
    rest = lines.pop()!
    if (lines.length > 0) yield `${lines.map(line => redactedLine(line, redactor)).join('\n')}\n`
  }
}

function redactedLine(line: string, redactor: Redactor): string {
  const value = parsed(line)
  const clean = isEvent(value)
    ? [value[0], value[1], redactor.redactSameWidth(value[2])]
    : redactor.redactValue(value ?? line)
  const text = JSON.stringify(clean)
  return text === JSON.stringify(value) ? line : text
}

/** Null for a line that is damaged. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function isEvent(value: unknown): value is [number, string, string] {
  return Array.isArray(value) && typeof value[2] === 'string'
}
