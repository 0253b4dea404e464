import { createHash } from 'node:crypto'
import { canonicalJson } from '../text/index.js'

/** SHA-256 of the exact request, not normalised: look-alikes differ. */
export function fingerprintOf(request: {
  kind: string
  agent: string
  session: string
  subAgent?: string | undefined
  tool: string
  input: unknown
  text: string | null
  cwd: string
  questions: readonly { text: string; multi: boolean }[]
  options: readonly { label: string; meaning: string }[]
  /** For a tool of an MCP server: the hash of its launch command. */
  launch?: string | undefined
  plan?: { sha256: string } | undefined
  items?: readonly unknown[] | undefined
}): string {
  const { options, ...rest } = request
  return sha256(
    `signalbox/approval/1\n${canonicalJson({ ...rest, options: options.map(({ label, meaning }) => [label, meaning]) })}`,
  )
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
