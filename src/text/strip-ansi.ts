const ESC = 0x1b
const BEL = 0x07
const CAN = 0x18
const SUB = 0x1a

/**
 * Removes escape sequences from a line of text that an agent wrote to a pipe. Not for terminal
 * output: some programs position every word, so what they draw must be read from the emulator.
 * Other control characters stay (`visibleText` shows them).
 */
export function stripAnsi(text: string): string {
  let result = ''
  let position = 0
  for (let index = 0; index < text.length; ) {
    const unit = text.charCodeAt(index)
    if (unit !== ESC && (unit < 0x80 || unit > 0x9f)) {
      index += 1
      continue
    }
    result += text.slice(position, index)
    index = sequenceEnd(text, index)
    position = index
  }
  return position === 0 ? text : result + text.slice(position)
}

/** The index after a sequence of ESC or C1 (ECMA-48). An unfinished one ends its line. */
function sequenceEnd(text: string, start: number): number {
  const isEscape = text.charCodeAt(start) === ESC
  // ESC followed by 0x40–0x5f is the C1 control 0x80–0x9f in seven bits.
  const second = isEscape ? text.charCodeAt(start + 1) : text.charCodeAt(start) - 0x40
  const body = isEscape ? start + 2 : start + 1
  if (second === 0x5b) return controlSequenceEnd(text, body)
  // DCS, SOS, OSC, PM, APC carry a string.
  if ([0x50, 0x58, 0x5d, 0x5e, 0x5f].includes(second)) return stringEnd(text, body)
  if (!isEscape) return body
  // Intermediates (charset designations) and one final byte; ESC before anything else is a sequence
  // of its own.
  let index = start + 1
  while (isBetween(text.charCodeAt(index), 0x20, 0x2f)) index += 1
  return isBetween(text.charCodeAt(index), 0x30, 0x7e) ? index + 1 : start + 1
}

function controlSequenceEnd(text: string, body: number): number {
  let index = body
  while (isBetween(text.charCodeAt(index), 0x20, 0x3f)) index += 1
  return isBetween(text.charCodeAt(index), 0x40, 0x7e) ? index + 1 : index
}

function stringEnd(text: string, body: number): number {
  for (let index = body; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit === BEL || unit === 0x9c || unit === CAN || unit === SUB) return index + 1
    if (unit === ESC) return text.charCodeAt(index + 1) === 0x5c ? index + 2 : index
    if (unit === 0x0a || unit === 0x0d) return index
  }
  return text.length
}

function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last
}
