/** What a person did: a key, a paste, or the mouse at a cell of the screen. */
export type Input =
  | { kind: 'key'; key: string }
  | { kind: 'paste'; text: string }
  | { kind: 'mouse'; what: 'press' | 'wheel-up' | 'wheel-down'; x: number; y: number }

const PASTE = '\u001b[200~'
const PASTE_END = '\u001b[201~'
/** A mouse report (SGR), a control sequence, a lone escape, or one character. */
const KEYS = /\u001b\[<(\d+);(\d+);(\d+)([Mm])|\u001b\[[\d;]*[A-Za-z~]|\u001bO[A-Za-z]|\u001b|[\s\S]/gu
const NAMES: Readonly<Record<string, string>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  '\u001b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
}

/** Splits what the terminal sends. A paste may arrive in several chunks. */
export class InputReader {
  #paste: string | null = null

  push(chunk: string): Input[] {
    const inputs: Input[] = []
    let rest = chunk
    while (rest !== '') {
      if (this.#paste !== null) {
        const end = rest.indexOf(PASTE_END)
        this.#paste += end < 0 ? rest : rest.slice(0, end)
        if (end < 0) return inputs
        inputs.push({ kind: 'paste', text: this.#paste.replace(/\r\n?/g, '\n') })
        this.#paste = null
        rest = rest.slice(end + PASTE_END.length)
        continue
      }
      const start = rest.indexOf(PASTE)
      inputs.push(...keysOf(start < 0 ? rest : rest.slice(0, start)))
      if (start < 0) return inputs
      this.#paste = ''
      rest = rest.slice(start + PASTE.length)
    }
    return inputs
  }
}

function keysOf(text: string): Input[] {
  return [...text.matchAll(KEYS)].flatMap((found): Input[] => {
    const [key, button, x, y, end] = found
    if (button === undefined) return [{ kind: 'key', key: NAMES[key] ?? key }]
    const what = { '0': 'press', '64': 'wheel-up', '65': 'wheel-down' } as const
    const did = what[button as keyof typeof what]
    return did && end === 'M' ? [{ kind: 'mouse', what: did, x: Number(x) - 1, y: Number(y) - 1 }] : []
  })
}
