/**
 * What stands between an agent's bytes and the terminal of a person who is attached. The person sees everything the agent draws, but
 * their terminal must not answer the agent's questions (ours has), must keep to the one screen we gave it, and its clipboard is nobody's.
 */

/** Whole sequences that are left out of what the person's terminal gets. */
const WITHHELD = [
  // Questions: device attributes, status, cursor position, version, keyboard, modes, window size, terminfo.
  /^\u001b\[[>=?]?\d*c$/,
  /^\u001b\[\??[56]n$/,
  /^\u001b\[\?99[67]n$/,
  /^\u001b\[>\d*q$/,
  /^\u001b\[\?u$/,
  /^\u001b\[\??[\d;]*\$p$/,
  /^\u001b\[1[3-9](;\d+)*t$/,
  /^\u001b\[>4;\?m$/,
  /^\u001bP[+$]q/,
  // Switches between the two screens: the attached terminal shows our alternate screen from beginning to end.
  /^\u001b\[\?(1049|1047|47)[hl]$/,
  // Colour questions, clipboard, status reports and their kind.
  /^\u001b\](4;\d+|1[0-9]);\?/,
  /^\u001b\](52|7501|99|66|1337);/,
  /^\u001b_/,
]

/** Longest sequence that is waited for; a longer one is let through as it is. */
const LONGEST = 4096

// CSI … final · OSC/DCS/APC/PM/SOS … terminator · other escapes of two bytes
const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]P_^X][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]+[0-~]|[0-Z\\^-~])/g
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*|[\]P_^X][^\u0007\u001b]*\u001b?|[ -/]*)?$/

/** Works on Latin-1 text, one character a byte, so that nothing but whole sequences is ever changed. */
export class OutputFilter {
  #held = ''

  push(bytes: Uint8Array): Buffer {
    const text = this.#held + Buffer.from(bytes).toString('latin1')
    const tail = UNFINISHED.exec(text)
    const cut = tail && text.length - tail.index <= LONGEST ? tail.index : text.length
    this.#held = text.slice(cut)
    const shown = text.slice(0, cut).replace(SEQUENCE, sequence => (WITHHELD.some(pattern => pattern.test(sequence)) ? '' : sequence))
    return Buffer.from(shown, 'latin1')
  }
}

/** Answers that a terminal gives by itself, should one be asked all the same: they are not the person's keys. */
const REPLIES =
  /\u001b\[[?>][\d;]*c|\u001b\[\?[\d;]+\$y|\u001b\[\?\d+u|\u001b\](?:4;\d+|1[0-9]);rgb:[^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001bP[>01!][^\u001b]*\u001b\\|\u001b\[\?997;\d+n/g

export function withoutReplies(bytes: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replace(REPLIES, ''), 'latin1')
}
