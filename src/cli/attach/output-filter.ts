/**
 * What stands between an agent's bytes and the terminal of a person who is attached. The person sees everything the agent draws, but
 * their terminal must not answer the agent's questions (ours has), must keep to the one screen we gave it, and its clipboard is nobody's.
 */

/** Sequences that are left out of what the person's terminal gets. Those that end in `$` are whole, the others are known by their beginning. */
const WITHHELD = [
  // Questions: answerback, device attributes, status, cursor position, parameters, version, keyboard, modes, checksums, window, terminfo.
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
  // Colour questions, clipboard, status reports and their kind.
  /^\u001b\](?:4|5|1[0-9]|21);(?:[^;]*[;=])*\?/,
  /^\u001b\](?:52|7501|99|66|1337)(?:;|$)/,
  /^\u001b_/,
]

/** Switches between the two screens: the attached terminal shows our alternate screen from beginning to end. */
const SCREEN_MODES = new Set(['47', '1047', '1049'])
const PRIVATE_MODES = /^\u001b\[\?([\d;]+)([hl])$/

/** Longest sequence that is held back until it is whole; of a longer one the beginning decides. */
const LONGEST = 4096

// A string ends at its terminator, at a bell if it is an OSC, and is cut by CAN, SUB or any other escape: terminals act on what came before it.
// One that reaches the end of the text is cut by the escape that is held back there.
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

/** Works on Latin-1 text, one character a byte, so that nothing but whole sequences is ever changed. */
export class OutputFilter {
  #held = ''
  /** Inside a withheld sequence that is too long to hold: where it ends. */
  #dropping: RegExp | null = null

  push(bytes: Uint8Array): Buffer {
    let text = this.#held + Buffer.from(bytes).toString('latin1')
    this.#held = ''
    if (this.#dropping) {
      const end = this.#dropping.exec(text)
      if (!end) {
        // An escape at the very end may begin the terminator.
        this.#held = text.endsWith('\u001b') ? '\u001b' : ''
        return Buffer.alloc(0)
      }
      this.#dropping = null
      text = text.slice(end.index + end[0].length)
    }
    const shown = this.#cutUnfinished(text).replace(SEQUENCE, filtered)
    return Buffer.from(shown, 'latin1')
  }

  /** Takes a sequence that is not whole off the end, to be held or dropped; a harmless one that is too long stays. */
  #cutUnfinished(text: string): string {
    const tail = UNFINISHED.exec(text)
    if (!tail) return text
    const [sequence] = tail
    if (sequence.length <= LONGEST) this.#held = sequence
    else if (sequence[1] === '[') this.#dropping = CSI_END
    else if (isWithheld(sequence)) this.#dropping = sequence[1] === ']' ? STRING_END.osc : STRING_END.other
    else return text
    if (this.#dropping && sequence.endsWith('\u001b')) this.#held = '\u001b'
    return text.slice(0, tail.index)
  }
}

function isWithheld(sequence: string): boolean {
  return WITHHELD.some(pattern => pattern.test(sequence))
}

function filtered(sequence: string): string {
  if (sequence[1] === '[' && sequence.length > LONGEST) return ''
  const modes = PRIVATE_MODES.exec(sequence)
  if (!modes) return isWithheld(sequence) ? '' : sequence
  const wanted = modes[1]!.split(';')
  const kept = wanted.filter(mode => !SCREEN_MODES.has(mode))
  return kept.length === wanted.length ? sequence : kept.length === 0 ? '' : `\u001b[?${kept.join(';')}${modes[2]}`
}

/** Answers that a terminal gives by itself, should one be asked all the same: they are not the person's keys. */
const REPLIES =
  /\u001b\[[?>][\d;]*c|\u001b\[\?[\d;]+\$y|\u001b\[\?\d+u|\u001b\](?:4;\d+|1[0-9]);rgb:[^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001bP[>01!][^\u001b]*\u001b\\|\u001b\[\?997;\d+n/g

export function withoutReplies(bytes: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replace(REPLIES, ''), 'latin1')
}
