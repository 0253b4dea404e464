import type { Colors } from './colors.js'
import type { KittyKeyboard } from './kitty-keyboard.js'
import { type ParserHooks, paramAt } from './parser-hooks.js'
import { KNOWN_MODES, type PrivateModes } from './private-modes.js'

/*
 * The replies of the terminal. Some agents exit or wait for their timeouts without them.
 *
 * Every query is answered here and nowhere else: xterm would answer some itself, but its `onData`
 * has no listener. A reply consists of our own constants and numbers, never of the program's text:
 * a program must not be able to type by printing. The one exception is the OSC 7501 query, whose
 * reply is by its protocol the same bytes, all of them known.
 *
 * Ignored without a reply, because the parser prints nothing of unknown sequences: OSC 66, kitty
 * graphics (APC), `CSI >4;?m`, OSC 1337 Capabilities; and by osc-evidence.ts: reading the clipboard
 * (OSC 52), OSC 99 queries.
 */

const CSI = '\x1b['
const DCS = '\x1bP'
const OSC = '\x1b]'
const ST = '\x1b\\'

const CELL_WIDTH_PX = 8
const CELL_HEIGHT_PX = 16

/** Answers to XTGETTCAP by the hexadecimal name of the capability. */
const CAPABILITIES: Record<string, string> = {
  [hex('TN')]: hex('xterm-256color'),
  [hex('RGB')]: hex('8/8/8'),
}

export interface ReplyContext {
  version: string
  colors: Colors
  keyboard: KittyKeyboard
  modes: PrivateModes
  screen(): 'normal' | 'alternate'
  size(): { cols: number; rows: number }
  cursor(): { x: number; y: number }
  /** The terminator of the OSC that is handled now. */
  terminator(): '\x07' | '\x1b\\'
  send(reply: string): void
}

export function registerReplies(hooks: ParserHooks, context: ReplyContext): void {
  registerDeviceReports(hooks, context)
  registerKeyboard(hooks, context)
  registerModeReports(hooks, context)
  registerColorReports(hooks, context)
  registerSizeReports(hooks, context)
  registerStrings(hooks, context)
}

function registerDeviceReports(hooks: ParserHooks, { send, version, cursor }: ReplyContext): void {
  const position = () => {
    const { x, y } = cursor()
    return `${y + 1};${x + 1}R`
  }
  hooks.csi({ final: 'c' }, params => answered(paramAt(params, 0) === 0 && send(`${CSI}?1;2c`)))
  hooks.csi({ prefix: '>', final: 'c' }, params => answered(paramAt(params, 0) === 0 && send(`${CSI}>0;276;0c`)))
  hooks.csi({ prefix: '>', final: 'q' }, params =>
    answered(paramAt(params, 0) === 0 && send(`${DCS}>|signalbox(${version})${ST}`)),
  )
  hooks.csi({ final: 'n' }, params => {
    if (paramAt(params, 0) === 5) send(`${CSI}0n`)
    if (paramAt(params, 0) === 6) send(`${CSI}${position()}`)
    return true
  })
  hooks.csi({ prefix: '?', final: 'n' }, params => {
    if (paramAt(params, 0) === 6) send(`${CSI}?${position()}`)
    if (paramAt(params, 0) === 996) send(`${CSI}?997;1n`)
    return true
  })
}

function registerKeyboard(hooks: ParserHooks, { keyboard, screen, send }: ReplyContext): void {
  hooks.csi({ prefix: '?', final: 'u' }, () => answered(send(`${CSI}?${keyboard.flags(screen())}u`)))
  hooks.csi({ prefix: '>', final: 'u' }, params => answered(keyboard.push(screen(), paramAt(params, 0))))
  hooks.csi({ prefix: '<', final: 'u' }, params => answered(keyboard.pop(screen(), paramAt(params, 0))))
  hooks.csi({ prefix: '=', final: 'u' }, params =>
    answered(keyboard.set(screen(), paramAt(params, 0), paramAt(params, 1, 1))),
  )
}

function registerModeReports(hooks: ParserHooks, { modes, send }: ReplyContext): void {
  hooks.csi({ prefix: '?', intermediates: '$', final: 'p' }, params => {
    const mode = paramAt(params, 0)
    const isKnown = (KNOWN_MODES as readonly number[]).includes(mode)
    const value = !isKnown ? 0 : modes.isSet(mode) ? 1 : 2
    return answered(send(`${CSI}?${mode};${value}$y`))
  })
  hooks.csi({ intermediates: '$', final: 'p' }, params => {
    const mode = paramAt(params, 0)
    return answered(send(`${CSI}${mode};${modes.ansiReport(mode)}$y`))
  })
}

function registerColorReports(hooks: ParserHooks, { colors, send, terminator }: ReplyContext): void {
  hooks.osc(4, payload => {
    const parts = payload.split(';')
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const index = Number.parseInt(parts[at]!, 10)
      if (parts[at + 1] !== '?') colors.setPalette(index, parts[at + 1]!)
      else if (colors.palette(index)) send(`${OSC}4;${index};${colors.palette(index)}${terminator()}`)
    }
    return true
  })
  for (const first of [10, 11, 12]) {
    // `OSC 10;a;b;c` queries the following colours too.
    hooks.osc(first, payload => {
      payload.split(';').forEach((spec, offset) => {
        const code = first + offset
        if (spec !== '?') colors.setDynamic(code, spec)
        else if (colors.dynamic(code)) send(`${OSC}${code};${colors.dynamic(code)}${terminator()}`)
      })
      return true
    })
    hooks.osc(first + 100, () => answered(colors.resetDynamic(first)))
  }
  hooks.osc(104, payload => {
    if (payload === '') colors.resetPalette()
    else for (const index of payload.split(';')) colors.resetPalette(Number.parseInt(index, 10))
    return true
  })
}

function registerSizeReports(hooks: ParserHooks, { size, send }: ReplyContext): void {
  hooks.csi({ final: 't' }, params => {
    const { cols, rows } = size()
    const operation = paramAt(params, 0)
    if (operation === 14) send(`${CSI}4;${rows * CELL_HEIGHT_PX};${cols * CELL_WIDTH_PX}t`)
    if (operation === 16) send(`${CSI}6;${CELL_HEIGHT_PX};${CELL_WIDTH_PX}t`)
    if (operation === 18) send(`${CSI}8;${rows};${cols}t`)
    return [14, 16, 18].includes(operation)
  })
}

function registerStrings(hooks: ParserHooks, { send }: ReplyContext): void {
  hooks.dcs({ intermediates: '+', final: 'q' }, payload => {
    for (const name of payload.toUpperCase().split(';').slice(0, 64)) {
      const value = CAPABILITIES[name]
      send(value ? `${DCS}1+r${name}=${value}${ST}` : `${DCS}0+r${ST}`)
    }
    return true
  })
  hooks.dcs({ intermediates: '$', final: 'q' }, () => answered(send(`${DCS}0$r${ST}`)))
}

/** The reply to the OSC 7501 query: its own bytes. */
export function programStatusReply(terminator: string): string {
  return `${OSC}7501;?${terminator}`
}

/** A hook that has answered ends the sequence. */
function answered(_work: unknown): true {
  return true
}

function hex(text: string): string {
  return [...text]
    .map(char => char.charCodeAt(0).toString(16))
    .join('')
    .toUpperCase()
}
