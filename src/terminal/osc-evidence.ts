import type { Progress } from './frame.js'
import type { ParserHooks } from './parser-hooks.js'
import { cleanLine, decodeBase64Text } from './plain-text.js'
import { parseShellMark, type ShellMark } from './shell-marks.js'

/** What a program reports about itself outside its screen. None of it is a status by itself. */
export type OscEvidence =
  | { kind: 'title'; title: string }
  | { kind: 'directory'; path: string }
  | { kind: 'progress'; progress: Progress | null }
  | { kind: 'notice'; source: 'osc9' | 'osc777' | 'osc99' | 'bell'; title: string; body: string }
  | { kind: 'shell-mark'; mark: ShellMark }
  /** The clipboard is never touched; this only reports that the program tried to write it. */
  | { kind: 'clipboard-write'; characters: number }

const TITLE_MAX = 512
const NOTICE_MAX = 1024
const TITLE_STACK_MAX = 10
const PATH_MAX = 4096

export interface EvidenceContext {
  hostname: string
  /** Where the cursor is, the same as long as it has not moved. */
  place(): string
  report(evidence: OscEvidence): void
}

export interface TitleState {
  title: string
  stack: string[]
}

/** The window title and the stack on which programs save it. */
export class Title {
  #state: TitleState

  constructor(state: TitleState = { title: '', stack: [] }) {
    this.#state = { title: state.title, stack: [...state.stack] }
  }

  get state(): TitleState {
    return { title: this.#state.title, stack: [...this.#state.stack] }
  }

  get current(): string {
    return this.#state.title
  }

  set(title: string): void {
    this.#state.title = title
  }

  push(): void {
    this.#state.stack.push(this.#state.title)
    if (this.#state.stack.length > TITLE_STACK_MAX) this.#state.stack.shift()
  }

  pop(): void {
    this.#state.title = this.#state.stack.pop() ?? this.#state.title
  }
}

export function registerEvidence(hooks: ParserHooks, { hostname, place, report }: EvidenceContext): void {
  const directory = (path: string | null) => {
    if (path?.startsWith('/') && path.length <= PATH_MAX && !/\p{Cc}/u.test(path)) {
      report({ kind: 'directory', path })
    }
    return true
  }
  const setTitle = (payload: string) => {
    report({ kind: 'title', title: cleanLine(payload, TITLE_MAX) })
    return true
  }
  let before: { mark: ShellMark['mark']; place: string } | null = null
  const shellMark = (protocol: 133 | 633) => (payload: string) => {
    const mark = parseShellMark(protocol, payload)
    if (mark?.mark === 'P' && mark.key === 'Cwd') return directory(mark.value)
    if (!mark) return true
    const now = { mark: mark.mark, place: place() }
    const isAdjacent =
      (mark.mark === 'C' || mark.mark === 'D') && before?.mark === PREDECESSOR[mark.mark] && before.place === now.place
    report({ kind: 'shell-mark', mark: isAdjacent ? { ...mark, isAdjacent } : mark })
    before = now
    return true
  }
  hooks.osc(0, setTitle)
  hooks.osc(2, setTitle)
  hooks.osc(7, payload => directory(localPath(payload, hostname)))
  hooks.osc(9, payload => {
    const evidence = readOsc9(payload)
    if (evidence) report(evidence)
    return true
  })
  hooks.osc(52, payload => {
    const content = payload.slice(payload.indexOf(';') + 1)
    if (content !== '?') report({ kind: 'clipboard-write', characters: content.length })
    return true
  })
  hooks.osc(99, payload => {
    const evidence = readOsc99(payload)
    if (evidence) report(evidence)
    return true
  })
  hooks.osc(777, payload => {
    const [command, title = '', ...body] = payload.split(';')
    if (command === 'notify') report(notice('osc777', title, body.join(';')))
    return true
  })
  hooks.osc(1337, payload => directory(/^CurrentDir=(.*)$/s.exec(payload)?.[1] ?? null))
  hooks.osc(133, shellMark(133))
  hooks.osc(633, shellMark(633))
  hooks.bell(() => report(notice('bell', '', '')))
}

/** The mark that a mark is compared with. */
const PREDECESSOR = { C: 'B', D: 'C' } as const

function notice(source: 'osc9' | 'osc777' | 'osc99' | 'bell', title: string, body: string): OscEvidence {
  return { kind: 'notice', source, title: cleanLine(title, NOTICE_MAX), body: cleanLine(body, NOTICE_MAX) }
}

/** `9;4;…` is ConEmu's progress, `9;9;…` ConEmu's too; all else iTerm2's notification. */
function readOsc9(payload: string): OscEvidence | null {
  const progress = /^4(?:;(\d*))?(?:;(\d*))?/.exec(payload)
  if (progress && /^4(;|$)/.test(payload)) return readProgress(progress[1] ?? '', progress[2] ?? '')
  return /^\d{1,2}(;|$)/.test(payload) ? null : notice('osc9', '', payload)
}

const PROGRESS_STATES: Record<string, Progress['state']> = { 1: 'value', 2: 'error', 3: 'busy', 4: 'paused' }

function readProgress(state: string, percent: string): OscEvidence | null {
  if (state === '0' || state === '') return { kind: 'progress', progress: null }
  const name = PROGRESS_STATES[state]
  if (!name) return null
  const value = percent === '' || name === 'busy' ? null : Math.min(100, Number(percent))
  return { kind: 'progress', progress: { state: name, percent: value } }
}

/** kitty's notifications: `key=value:…;payload`; title and body may come separately. */
function readOsc99(payload: string): OscEvidence | null {
  const split = payload.indexOf(';')
  if (split < 0) return null
  const metadata = new Map(
    payload
      .slice(0, split)
      .split(':')
      .map(pair => [pair[0], pair.slice(2)]),
  )
  const part = metadata.get('p') || 'title'
  if (part !== 'title' && part !== 'body') return null
  const raw = payload.slice(split + 1)
  const text = metadata.get('e') === '1' ? decodeBase64Text(raw) : raw
  if (text === null || text === '') return null
  return part === 'title' ? notice('osc99', text, '') : notice('osc99', '', text)
}

/** The path of a `file:` URL on this machine; null for any other. */
function localPath(url: string, hostname: string): string | null {
  const parts = /^(?:file|kitty-shell-cwd):\/\/([^/]*)(\/.*)$/s.exec(url)
  if (!parts) return null
  const host = parts[1]!.toLowerCase()
  if (host !== '' && host !== 'localhost' && host !== hostname.toLowerCase()) return null
  try {
    return decodeURIComponent(parts[2]!)
  } catch {
    return null
  }
}
