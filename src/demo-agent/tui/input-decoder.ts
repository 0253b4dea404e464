import { graphemes } from '../../text/index.js'

/** A key, a paste, or the terminal's reply to a query. */
export interface Key {
  name: KeyName
  /** The printable text of a key or a paste; the body of a reply; else empty. */
  text: string
  ctrl: boolean
  alt: boolean
}

type KeyName =
  | 'text'
  | 'paste'
  | 'reply'
  | 'enter'
  | 'newline'
  | 'backspace'
  | 'tab'
  | 'backtab'
  | 'escape'
  | 'delete'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'pageup'
  | 'pagedown'
  | 'unknown'
  | string

const CSI_FINALS: Record<string, KeyName> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'backtab',
}
const CSI_TILDE: Record<string, KeyName> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
}
const CODE_POINTS: Record<number, KeyName> = { 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' }

/**
 * Decodes the bytes of a raw terminal into keys, however they are split. A single ESC cannot be
 * distinguished from the start of a sequence: the caller waits a moment and calls `flush`.
 */
export class InputDecoder {
  private pending = ''
  private paste: string | null = null
  private readonly utf8 = new TextDecoder('utf-8')

  feed(bytes: Uint8Array): Key[] {
    this.pending += this.utf8.decode(bytes, { stream: true })
    const keys: Key[] = []
    for (let key = this.next(); key !== null; key = this.next()) if (key !== 'nothing') keys.push(key)
    return keys
  }

  get isWaiting(): boolean {
    return this.pending !== '' && this.paste === null
  }

  /** No more bytes arrived: the rest is an escape key (and what was typed right after it). */
  flush(): Key[] {
    if (!this.isWaiting) return []
    const rest = this.pending.slice(1)
    this.pending = ''
    return [make('escape'), ...(rest === '' ? [] : this.feed(new TextEncoder().encode(rest)))]
  }

  private next(): Key | 'nothing' | null {
    if (this.paste !== null) return this.continuePaste()
    if (this.pending === '') return null
    return this.pending[0] === '\x1b' ? this.sequence() : this.plain()
  }

  private take(length: number): string {
    const taken = this.pending.slice(0, length)
    this.pending = this.pending.slice(length)
    return taken
  }

  private plain(): Key {
    const printable = /^[^\x00-\x1f\x7f\x1b]+/.exec(this.pending)
    if (printable)
      return make(
        'text',
        firstGrapheme(this.take(printable[0].length), rest => (this.pending = rest + this.pending)),
      )
    const code = this.take(1).charCodeAt(0)
    if (code === 13) return make('enter')
    if (code === 10) return make('newline')
    if (code === 9) return make('tab')
    if (code === 127 || code === 8) return make('backspace')
    return { ...make(String.fromCharCode(code + 96)), ctrl: true }
  }

  private sequence(): Key | 'nothing' | null {
    if (this.pending.startsWith('\x1b[200~')) {
      this.take(6)
      this.paste = ''
      return 'nothing'
    }
    const csi = /^\x1b\[([?>=<]?)([\d;:]*)([ -/]*)([@-~])/.exec(this.pending)
    if (csi) {
      this.take(csi[0].length)
      return csiKey(csi[1]!, csi[2]!, csi[4]!)
    }
    const text = /^\x1b([\]P_^])([\s\S]*?)(?:\x07|\x1b\\)/.exec(this.pending)
    if (text) {
      this.take(text[0].length)
      return make('reply', text[1]! + text[2]!)
    }
    const ss3 = /^\x1bO([A-Za-z])/.exec(this.pending)
    if (ss3) {
      this.take(3)
      return make(CSI_FINALS[ss3[1]!] ?? 'unknown')
    }
    if (/^\x1b(\[[?>=<]?[\d;:]*[ -/]*|[\]P_^][\s\S]*|O)?$/.test(this.pending) && this.pending.length < 8192) return null
    this.take(1)
    if (this.pending[0] === '\x1b') return make('escape')
    const key = this.plain()
    if (key.name === 'enter') return make('newline')
    return { ...key, alt: true }
  }

  private continuePaste(): Key | null {
    const end = this.pending.indexOf('\x1b[201~')
    if (end < 0) return null
    const text = this.take(end)
    this.take(6)
    this.paste = null
    return make('paste', text.replaceAll(/\r\n?/g, '\n').replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, ''))
  }
}

/** Kitty's `CSI code;modifiers u`, xterm's cursor keys, and replies (`CSI ? … c`, `CSI … R`). */
function csiKey(prefix: string, parameters: string, final: string): Key | 'nothing' {
  if (prefix !== '' || final === 'R' || final === 'n' || final === 't' || final === 'c' || final === 'y')
    return make('reply', `[${prefix}${parameters}${final}`)
  if (final === 'I' || final === 'O') return 'nothing'
  const [first = '', second = ''] = parameters.split(';')
  const [modifiers = '1', event = '1'] = second.split(':')
  if (event === '3') return 'nothing'
  const bits = (Number(modifiers) || 1) - 1
  const held = { ctrl: (bits & 4) !== 0, alt: (bits & 2) !== 0 }
  if (final === '~') return { ...make(CSI_TILDE[first] ?? 'unknown'), ...held }
  if (final !== 'u') return { ...make(CSI_FINALS[final] ?? 'unknown'), ...held }
  const code = Number(first.split(':')[0])
  const named = CODE_POINTS[code]
  if (named === 'tab' && (bits & 1) !== 0) return make('backtab')
  if (named === 'enter' && bits !== 0) return make('newline')
  if (named) return { ...make(named), ...held }
  const text = String.fromCodePoint(code || 0xfffd)
  if (held.ctrl && text === 'j') return make('newline')
  return held.ctrl ? { ...make(text), ...held } : { ...make('text', text), ...held }
}

function make(name: KeyName, text = ''): Key {
  return { name, text, ctrl: false, alt: false }
}

/**
 * One key at a time: digits and letters that arrive together are separate keys, a cluster is one.
 */
function firstGrapheme(text: string, putBack: (rest: string) => void): string {
  const first = graphemes(text).next().value ?? text
  putBack(text.slice(first.length))
  return first
}
