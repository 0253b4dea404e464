import { decodeBase64Text, makeVisible } from './plain-text.js'

/*
 * OSC 7501, Program Status Protocol rev 0.3 (screen.md 2.4): a program says what it is doing. A pure keeper of records.
 *
 * A record is named by its id, a path such as `deploy/us-east`; the root is the empty id. A report replaces its whole
 * record. `working` and `blocked` are claims about a running program and end with it, or when the shell prompts again;
 * `done` and `error` are results and stay until work starts again, in the same subtree or as the shell's next command.
 *
 * A report is taken whole or not at all: anything invalid changes nothing and is counted, so a mangled id can never clear
 * the root. Unknown keys are skipped, for later revisions. The texts are the program's and are made visible, not believed.
 */

export type StatusName = 'idle' | 'working' | 'done' | 'blocked' | 'error'

export interface StatusRecord {
  id: string
  state: StatusName
  kind: 'permission' | 'question' | 'auth' | null
  /** Its own, or the nearest ancestor's. */
  app: string | null
  msg: string | null
  title: string | null
  progress: number | null
  t: number
}

export interface ProgramStatus {
  /** In the order of their newest report. */
  records: readonly StatusRecord[]
  invalid: number
}

export const EMPTY_PROGRAM_STATUS: ProgramStatus = { records: [], invalid: 0 }

export type StatusEvent =
  | { type: 'report'; payload: string; t: number }
  /** The program's process ended. */
  | { type: 'exit' }
  /** 133;A of the shell, not of an agent. */
  | { type: 'shell-prompt' }
  /** 133;C of the shell. */
  | { type: 'shell-command' }
  /** RIS. Soft reset and buffer switches change nothing. */
  | { type: 'reset' }

const SEQUENCE_MAX_BYTES = 4096
const RECORDS_MAX = 256
const TEXT_MAX_BYTES = 2048
const STATES = ['idle', 'working', 'done', 'blocked', 'error'] as const
const KINDS = ['permission', 'question', 'auth'] as const
const SEVERITY: readonly StatusName[] = ['blocked', 'error', 'working', 'done', 'idle']
const encoder = new TextEncoder()
const ID = /^[A-Za-z0-9._-]{1,64}(\/[A-Za-z0-9._-]{1,64}){0,15}$/
const APP = /^[\p{L}\p{N}._ +-]{1,64}$/u

export function reduceStatus(board: ProgramStatus, event: StatusEvent): ProgramStatus {
  switch (event.type) {
    case 'report':
      return applyReport(board, event.payload, event.t)
    case 'exit':
    case 'shell-prompt':
      return keep(board, record => record.state !== 'working' && record.state !== 'blocked')
    case 'shell-command':
      return keep(board, record => record.state !== 'done' && record.state !== 'error')
    case 'reset':
      return keep(board, () => false)
  }
}

/** The one record that stands for the pane: the gravest state, the newest report within it. */
export function aggregateStatus(board: ProgramStatus): StatusRecord | null {
  for (const state of SEVERITY) {
    const newest = board.records.findLast(record => record.state === state)
    if (newest) return withInheritedApp(board, newest)
  }
  return null
}

export function statusRecords(board: ProgramStatus): StatusRecord[] {
  return board.records.map(record => withInheritedApp(board, record))
}

function applyReport(board: ProgramStatus, payload: string, t: number): ProgramStatus {
  const fields = parseFields(payload)
  const id = fields?.get('id') ?? ''
  if (!fields || (fields.has('id') && !ID.test(id))) return invalid(board)
  if (fields.get('state') === 'clear') return keep(board, record => !isWithin(record.id, id))
  const record = parseRecord(fields, id, t)
  if (!record) return invalid(board)
  const others = board.records.filter(other => other.id !== id && !isSuperseded(other, record))
  return others.length < RECORDS_MAX ? { ...board, records: [...others, record] } : invalid(board)
}

function parseFields(payload: string): Map<string, string> | null {
  if (payload.length * 3 > SEQUENCE_MAX_BYTES && encoder.encode(payload).length > SEQUENCE_MAX_BYTES) return null
  const fields = new Map<string, string>()
  for (const pair of payload.split(':')) {
    const equals = pair.indexOf('=')
    const key = pair.slice(0, equals)
    if (equals <= 0 || fields.has(key)) return null
    fields.set(key, pair.slice(equals + 1))
  }
  return fields
}

function parseRecord(fields: Map<string, string>, id: string, t: number): StatusRecord | null {
  const state = STATES.find(name => name === fields.get('state'))
  const kind = KINDS.find(name => name === fields.get('kind')) ?? null
  const app = fields.get('app') ?? null
  const msg = decodeField(fields.get('msg'))
  const title = decodeField(fields.get('title'))
  const progress = fields.has('progress') ? parsePercent(fields.get('progress')!) : null
  if (!state || msg === undefined || title === undefined || progress === undefined) return null
  if (fields.has('kind') && kind === null) return null
  if (app !== null && !APP.test(app)) return null
  return { id, state, kind: state === 'blocked' ? kind : null, app, msg, title, progress, t }
}

/** Undefined: not valid. Null: not given. */
function decodeField(encoded: string | undefined): string | null | undefined {
  if (encoded === undefined) return null
  const text = decodeBase64Text(encoded)
  if (text === null || new TextEncoder().encode(text).length > TEXT_MAX_BYTES) return undefined
  return makeVisible(text)
}

function parsePercent(text: string): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= 100 ? Number(text) : undefined
}

function isWithin(id: string, ancestor: string): boolean {
  return ancestor === '' || id === ancestor || id.startsWith(`${ancestor}/`)
}

/** Work that starts again takes the results below it away. */
function isSuperseded(other: StatusRecord, report: StatusRecord): boolean {
  const isResult = other.state === 'done' || other.state === 'error'
  return report.state === 'working' && isResult && isWithin(other.id, report.id)
}

function withInheritedApp(board: ProgramStatus, record: StatusRecord): StatusRecord {
  for (let id = record.id; ; id = id.slice(0, Math.max(0, id.lastIndexOf('/')))) {
    const app = board.records.find(other => other.id === id)?.app
    if (app) return { ...record, app }
    if (id === '') return record
  }
}

function keep(board: ProgramStatus, wanted: (record: StatusRecord) => boolean): ProgramStatus {
  return { ...board, records: board.records.filter(wanted) }
}

function invalid(board: ProgramStatus): ProgramStatus {
  return { ...board, invalid: board.invalid + 1 }
}
