import { visibleText } from '../text/index.js'
import { decodeBase64Text } from './plain-text.js'

/*
 * OSC 7501, Program Status Protocol revision 0.3: a program reports what it is doing. Pure: the
 * records and the rules that change them.
 *
 * A record is named by its id, a path such as `deploy/us-east`; the root is the empty id. A report
 * replaces its whole record. `done` and `error` are results: they stay until work starts again in
 * the same subtree.
 *
 * A report is accepted as a whole or not at all. An invalid one is counted and changes nothing, so
 * a mangled id can never clear the root. Unknown keys are skipped, for later revisions. The texts
 * come from the program: they are made visible, not trusted.
 */

type StatusName = 'idle' | 'working' | 'done' | 'blocked' | 'error'

export interface StatusRecord {
  id: string
  state: StatusName
  kind: 'permission' | 'question' | 'auth' | null
  /** Its own, or that of the nearest ancestor. */
  app: string | null
  msg: string | null
  title: string | null
  progress: number | null
  t: number
}

export interface ProgramStatus {
  /** In the order of their newest reports. */
  records: readonly StatusRecord[]
  invalid: number
}

export const EMPTY_PROGRAM_STATUS: ProgramStatus = { records: [], invalid: 0 }

export type ProgramStatusEvent =
  | { type: 'report'; payload: string; t: number }
  /** RIS. A soft reset and a switch of the buffer change nothing. */
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

export function reduceStatus(status: ProgramStatus, event: ProgramStatusEvent): ProgramStatus {
  switch (event.type) {
    case 'report':
      return applyReport(status, event.payload, event.t)
    case 'reset':
      return keep(status, () => false)
  }
}

/**
 * The one record that represents the pane: the most severe state, and of those the newest report.
 * `ended`: open records of programs that have ended, as `openRecords` gave them.
 */
export function aggregateStatus(status: ProgramStatus, ended: readonly string[] = []): StatusRecord | null {
  const isOver = (record: StatusRecord) => ended.includes(keyOf(record))
  for (const state of SEVERITY) {
    const newest = status.records.findLast(record => record.state === state && !isOver(record))
    if (newest) return withInheritedApp(status, newest)
  }
  return null
}

/**
 * The reports that a program would have to replace before it ends: it works, or waits for a person.
 */
export function openRecords(status: ProgramStatus): string[] {
  return status.records.filter(({ state }) => state === 'working' || state === 'blocked').map(keyOf)
}

function keyOf({ id, state, t }: StatusRecord): string {
  return `${t} ${state} ${id}`
}

export function statusRecords(status: ProgramStatus): StatusRecord[] {
  return status.records.map(record => withInheritedApp(status, record))
}

function applyReport(status: ProgramStatus, payload: string, t: number): ProgramStatus {
  const fields = parseFields(payload)
  const id = fields?.get('id') ?? ''
  if (!fields || (fields.has('id') && !ID.test(id))) return invalid(status)
  if (fields.get('state') === 'clear') return keep(status, record => !isWithin(record.id, id))
  const record = parseRecord(fields, id, t)
  if (!record) return invalid(status)
  const others = status.records.filter(other => other.id !== id && !isSuperseded(other, record))
  return others.length < RECORDS_MAX ? { ...status, records: [...others, record] } : invalid(status)
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

/** Undefined when invalid, null when absent. */
function decodeField(encoded: string | undefined): string | null | undefined {
  if (encoded === undefined) return null
  const text = decodeBase64Text(encoded)
  if (text === null || new TextEncoder().encode(text).length > TEXT_MAX_BYTES) return undefined
  return visibleText(text, { newlines: 'show', tabs: 'show' })
}

function parsePercent(text: string): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= 100 ? Number(text) : undefined
}

function isWithin(id: string, ancestor: string): boolean {
  return ancestor === '' || id === ancestor || id.startsWith(`${ancestor}/`)
}

/** New work removes the results of its subtree. */
function isSuperseded(other: StatusRecord, report: StatusRecord): boolean {
  const isResult = other.state === 'done' || other.state === 'error'
  return report.state === 'working' && isResult && isWithin(other.id, report.id)
}

function withInheritedApp(status: ProgramStatus, record: StatusRecord): StatusRecord {
  for (let id = record.id; ; id = id.slice(0, Math.max(0, id.lastIndexOf('/')))) {
    const app = status.records.find(other => other.id === id)?.app
    if (app) return { ...record, app }
    if (id === '') return record
  }
}

function keep(status: ProgramStatus, wanted: (record: StatusRecord) => boolean): ProgramStatus {
  return { ...status, records: status.records.filter(wanted) }
}

function invalid(status: ProgramStatus): ProgramStatus {
  return { ...status, invalid: status.invalid + 1 }
}
