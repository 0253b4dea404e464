/*
 * Shell integration (OSC 133 of FinalTerm, OSC 633 of VS Code): the shell marks the start of a
 * prompt (A), the start of typing (B), the start of a command (C) and its end (D). Real shells send
 * these marks more often, less often and in other orders than the protocol says, so the rules below
 * come from recordings:
 *
 *   C twice                    the first counts
 *   D without C                ignored: Ctrl-C at an empty prompt, or the stale D that some shells
 *                              print at every prompt
 *   D with junk or no number   the command ended, its exit code is unknown
 *   A again                    a redrawn prompt
 *   A without D after C        the shell does not send D: ended, exit code unknown
 *   133 and 633 both           only 633 counts: VS Code's script runs beside an older one
 *   633;E without our nonce    a program could have printed it: not trusted as a command line
 *
 * The caller must know whether the marks are a shell's: some agents mark their own messages with
 * 133. In a shell, the command and the end of its line are between B and C; a C that is adjacent
 * (the cursor has not moved since B) marks a message.
 */

export type ShellMark =
  | { protocol: 133 | 633; mark: 'A' | 'B' }
  | { protocol: 133 | 633; mark: 'C'; isAdjacent?: true }
  | { protocol: 133 | 633; mark: 'D'; exit: number | null; isAdjacent?: true }
  | { protocol: 633; mark: 'E'; commandLine: string; nonce: string | null }
  | { protocol: 633; mark: 'P'; key: string; value: string }

export type ShellSignal =
  | { name: 'prompt' }
  | { name: 'command-start'; commandLine: string | null }
  | { name: 'command-end'; exit: number | null }

export interface ShellState {
  protocol: 133 | 633 | null
  phase: 'unknown' | 'prompt' | 'running'
  /** A trusted command line that waits for its C. */
  commandLine: string | null
}

export const INITIAL_SHELL_STATE: ShellState = { protocol: null, phase: 'unknown', commandLine: null }

type Reduction = { state: ShellState; signals: ShellSignal[] }

/** `nonce`: what we gave to the shell's script; null: no command line is trusted. */
export function reduceShellMark(state: ShellState, mark: ShellMark, nonce: string | null): Reduction {
  if (state.protocol === 633 && mark.protocol === 133) return { state, signals: [] }
  const known = { ...state, protocol: mark.protocol }
  switch (mark.mark) {
    case 'A':
      if (known.phase === 'prompt') return { state: known, signals: [] }
      return {
        state: { ...known, phase: 'prompt', commandLine: null },
        signals: [...endUnknown(known), { name: 'prompt' }],
      }
    case 'C': {
      if (known.phase === 'running') return { state: known, signals: [] }
      const { commandLine } = known
      return {
        state: { ...known, phase: 'running', commandLine: null },
        signals: [{ name: 'command-start', commandLine }],
      }
    }
    case 'D':
      if (known.phase !== 'running') return { state: known, signals: [] }
      return { state: { ...known, phase: 'unknown' }, signals: [{ name: 'command-end', exit: mark.exit }] }
    case 'E': {
      const isTrusted = nonce !== null && mark.nonce === nonce && known.phase !== 'running'
      return { state: isTrusted ? { ...known, commandLine: mark.commandLine } : known, signals: [] }
    }
    case 'B':
    case 'P':
      return { state: known, signals: [] }
  }
}

function endUnknown(state: ShellState): ShellSignal[] {
  return state.phase === 'running' ? [{ name: 'command-end', exit: null }] : []
}

/** The mark in an OSC payload, or null for a mark that we do not use. */
export function parseShellMark(protocol: 133 | 633, payload: string): ShellMark | null {
  const [mark, ...fields] = payload.split(';')
  switch (mark) {
    case 'A':
    case 'B':
    case 'C':
      return { protocol, mark }
    case 'D':
      return { protocol, mark, exit: parseExit(fields[0]) }
    case 'E':
      if (protocol !== 633) return null
      return { protocol, mark, commandLine: unescape633(fields[0] ?? ''), nonce: fields[1] ?? null }
    case 'P': {
      const split = fields.join(';')
      const equals = split.indexOf('=')
      if (protocol !== 633 || equals < 0) return null
      return { protocol, mark, key: split.slice(0, equals), value: unescape633(split.slice(equals + 1)) }
    }
    default:
      return null
  }
}

function parseExit(field: string | undefined): number | null {
  return field !== undefined && /^-?\d{1,10}$/.test(field) ? Number(field) : null
}

/** VS Code escapes `\`, `;` and control characters as `\\` and `\xHH`. */
function unescape633(text: string): string {
  return text.replace(/\\(\\|x([0-9a-fA-F]{2}))/g, (_, whole: string, code: string | undefined) =>
    code === undefined ? whole : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
