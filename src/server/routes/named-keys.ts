import { SignalboxError } from '../../errors/index.js'

/** Named keys as terminals send them; arrows, Home and End depend on the mode. */
const FIXED: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  'shift-tab': '\u001b[Z',
  escape: '\u001b',
  space: ' ',
  backspace: '\u007f',
  delete: '\u001b[3~',
  insert: '\u001b[2~',
  'page-up': '\u001b[5~',
  'page-down': '\u001b[6~',
}
const CURSOR: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' }

/** @throws SignalboxError `E_INPUT` for an unknown key. */
export function keyBytes(names: readonly string[], isApplicationCursor: boolean): Uint8Array {
  return new TextEncoder().encode(names.map(name => keyText(name.toLowerCase(), isApplicationCursor)).join(''))
}

function keyText(name: string, isApplicationCursor: boolean): string {
  if (Object.hasOwn(FIXED, name)) return FIXED[name]!
  if (Object.hasOwn(CURSOR, name)) return `\u001b${isApplicationCursor ? 'O' : '['}${CURSOR[name]}`
  const control = /^ctrl-([a-z])$/.exec(name)
  if (control) return String.fromCharCode(control[1]!.charCodeAt(0) - 96)
  if (/^[\x21-\x7e]$/.test(name)) return name
  throw new SignalboxError('E_INPUT', `unknown key "${name}"`, {
    next: `use one of: ${[...Object.keys(FIXED), ...Object.keys(CURSOR)].join(', ')}, ctrl-a … ctrl-z, or a single character`,
  })
}
