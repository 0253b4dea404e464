import { readToolUse } from '../../approvals/index.js'
import { candidatesIn, type PathCandidate, type Refusal } from '../../sandbox/index.js'

/** The requester of a path, as far as it is known. */
export interface PathRequester {
  tool?: string
  commandLine?: string | undefined
}

interface EndedTool {
  tool: string
  input: unknown
  output: string
  isFailed: boolean
}

/** Paths that a tool of an agent may have been refused: named in its output, or its own. */
export function toolCandidates({ tool, input, output, isFailed }: EndedTool): {
  candidates: PathCandidate[]
  by: PathRequester
} {
  const use = readToolUse(tool, input)
  const commandLine = use.kind === 'command' ? [use.command].flat().join(' ') : undefined
  const named: PathCandidate[] =
    isFailed && (use.kind === 'read' || use.kind === 'write')
      ? use.paths.map(path => ({ path, access: use.kind as PathCandidate['access'], message: firstLine(output) }))
      : []
  return { candidates: [...candidatesIn(output), ...named], by: { tool, commandLine } }
}

/** The request that a person sees about a path that a sandbox refused. */
export function pathInput(
  { path, wanted, message }: Refusal,
  { tool, commandLine }: PathRequester,
  canOpen: boolean,
): Record<string, unknown> {
  const program = programOf(message)
  return {
    path,
    ...(wanted !== undefined && { wanted }),
    ...(program !== null && { program }),
    ...(tool !== undefined && { tool }),
    ...(commandLine !== undefined && { commandLine }),
    message,
    takesEffect: canOpen ? 'at once' : 'when the agent is started again',
  }
}

/** `cat: /etc/x: No such file or directory`. */
function programOf(message: string): string | null {
  return /^(?:\S*\/)?([\w.+-]{1,40}): /.exec(message)?.[1] ?? null
}

function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .map(line => line.trim())
      .find(line => line !== '') ?? 'the tool failed'
  )
}
