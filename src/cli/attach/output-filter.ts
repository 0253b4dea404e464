/**
 * Filters an agent's output for the terminal of an attached person. The person sees everything that
 * the agent draws, but their terminal must not answer the agent's queries (Signalbox has answered
 * them), must stay on the screen that attach opened, and must keep its clipboard.
 */

/**
 * Sequences that are removed: patterns with `$` match whole ones, the others match by their start.
 */
const REMOVED = [
  // Queries: answerback, device attributes, status, cursor position, parameters, version, keyboard,
  // modes, checksums, window, terminfo.
  /^\u0005$/,
  /^\u001bZ$/,
  /^\u001b\[[>=?]?[\d;]*c$/,
  /^\u001b\[\??[\d;]*n$/,
  /^\u001b\[[01]?x$/,
  /^\u001b\[>\d*q$/,
  /^\u001b\[\?u$/,
  /^\u001b\[\??[\d;]*\$p$/,
  /^\u001b\[[\d;]*(?:\$w|\*y|"v)$/,
  /^\u001b\[(?:11|1[3-9]|2[01])(?:;\d+)*t$/,
  /^\u001b\[(?:>4;\?|\?\d+)m$/,
  /^\u001bP[+$]q/,
  // Colour queries, clipboard, status reports.
  /^\u001b\](?:4|5|1[0-9]|21);(?:[^;]*[;=])*\?/,
  /^\u001b\](?:52|7501|99|66|1337)(?:;|$)/,
  /^\u001b_/,
]

/** Modes that switch screens: attach stays on the alternate screen that it opened. */
const SCREEN_MODES = new Set(['47', '1047', '1049'])
const PRIVATE_MODES = /^\u001b\[\?([\d;]+)([hl])$/

/**
 * The longest sequence that is buffered until it is complete; a longer one is judged by its start.
 */
const SEQUENCE_MAX_CHARACTERS = 4096

// A string ends at its terminator, at a bell if it is an OSC, and at CAN, SUB or any other escape:
// terminals act on what came before it. At the end of the text it ends at the buffered escape.
const STRING = String.raw`\][^\u0007\u0018\u001a\u001b]*(?:[\u0007\u0018\u001a]|\u001b\\|(?=\u001b(?!\\)|$))|[P_^X][^\u0018\u001a\u001b]*(?:[\u0018\u001a]|\u001b\\|(?=\u001b(?!\\)|$))`
const SEQUENCE = new RegExp(
  String.raw`\u0005|\u001b(?:\[[0-?]*[ -/]*[@-~]|${STRING}|[ -/]+[0-~]|[0-OQ-WYZ\\\`-~])`,
  'g',
)
const UNFINISHED =
  /\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u0018\u001a\u001b]*\u001b?|[P_^X][^\u0018\u001a\u001b]*\u001b?|[ -/]*)?$/
const STRING_END = {
  osc: /[\u0007\u0018\u001a]|\u001b\\|(?=\u001b[^\\])/,
  other: /[\u0018\u001a]|\u001b\\|(?=\u001b[^\\])/,
} as const
const CSI_END = /[@-~\u0018\u001a]|(?=\u001b)/

/** Works on Latin-1 text, one character per byte, so that only whole sequences are changed. */
export class OutputFilter {
  #buffered = ''
  /** The end pattern of a removed sequence that is too long to buffer. */
  #dropping: RegExp | null = null

  push(bytes: Uint8Array): Buffer {
    let text = this.#buffered + Buffer.from(bytes).toString('latin1')
    this.#buffered = ''
    if (this.#dropping) {
      const end = this.#dropping.exec(text)
      if (!end) {
        // An escape at the end may start the terminator.
        this.#buffered = text.endsWith('\u001b') ? '\u001b' : ''
        return Buffer.alloc(0)
      }
      this.#dropping = null
      text = text.slice(end.index + end[0].length)
    }
    const shown = this.#cutUnfinished(text).replace(SEQUENCE, filtered)
    return Buffer.from(shown, 'latin1')
  }

  /** Cuts an incomplete sequence off the end, to buffer or drop it; a long harmless one stays. */
  #cutUnfinished(text: string): string {
    const tail = UNFINISHED.exec(text)
    if (!tail) return text
    const [sequence] = tail
    if (sequence.length <= SEQUENCE_MAX_CHARACTERS) this.#buffered = sequence
    else if (sequence[1] === '[') this.#dropping = CSI_END
    else if (isRemoved(sequence)) this.#dropping = sequence[1] === ']' ? STRING_END.osc : STRING_END.other
    else return text
    if (this.#dropping && sequence.endsWith('\u001b')) this.#buffered = '\u001b'
    return text.slice(0, tail.index)
  }
}

function isRemoved(sequence: string): boolean {
  return REMOVED.some(pattern => pattern.test(sequence))
}

function filtered(sequence: string): string {
  if (sequence[1] === '[' && sequence.length > SEQUENCE_MAX_CHARACTERS) return ''
  const modes = PRIVATE_MODES.exec(sequence)
  if (!modes) return isRemoved(sequence) ? '' : sequence
  const wanted = modes[1]!.split(';')
  const kept = wanted.filter(mode => !SCREEN_MODES.has(mode))
  return kept.length === wanted.length ? sequence : kept.length === 0 ? '' : `\u001b[?${kept.join(';')}${modes[2]}`
}

/** Replies that a terminal sends by itself; they are not the person's keys. */
const REPLIES =
  /\u001b\[[?>][\d;]*c|\u001b\[\?[\d;]+\$y|\u001b\[\?\d+u|\u001b\](?:4;\d+|1[0-9]);rgb:[^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001bP[>01!][^\u001b]*\u001b\\|\u001b\[\?997;\d+n/g

export function withoutReplies(bytes: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replace(REPLIES, ''), 'latin1')
}
