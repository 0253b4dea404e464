import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { systemClock } from '../clock/index.js'
import { openHome } from '../host/home/index.js'
import { type HostSettings, mayHaveStore, openHomeStore } from '../host/index.js'
import { recordingBytes } from '../terminal/recording/index.js'
import { createRedactor, plural, type Redactor, secretsFromEnvironment } from '../text/index.js'
import { type DoctorContext, type DoctorFinding, failure } from './finding.js'

const PAGE = 500
const NAMED = 10
const MARKER = /‹secret:([a-z0-9-]{1,24}):[0-9a-f]{4}›/g

type StoreSettings = Pick<HostSettings, 'dataDirectory' | 'sharedStore'>

/** Kinds of secrets and how often each was found. */
type Counts = Map<string, number>

/**
 * Searches the log and the recordings for secrets, by the rules that redact what is shown and sent.
 * A finding names the place and the kind, never the secret.
 */
export async function examineSecrets(context: Pick<DoctorContext, 'env' | 'cwd'>): Promise<DoctorFinding[]> {
  try {
    const { settings } = openHome(context)
    const redactor = createRedactor({ secretValues: secretsFromEnvironment(context.env) })
    return [
      ...(mayHaveStore(settings) ? await searchLog(settings, redactor) : []),
      ...(await searchRecordings(join(settings.dataDirectory, 'recordings'), redactor)),
    ]
  } catch (error) {
    return [failure('secrets', error)]
  }
}

async function searchLog(settings: StoreSettings, redactor: Redactor): Promise<DoctorFinding[]> {
  const store = await openHomeStore({ ...settings, clock: systemClock, onError: () => undefined })
  const streams = new Map<string, Counts>()
  try {
    for (let after = 0; ; ) {
      const events = await store.readAll({ after, limit: PAGE })
      for (const { stream, data } of events)
        count(JSON.stringify(redactor.redactValue(data)), JSON.stringify(data), streams, stream)
      if (events.length === 0) break
      after = events.at(-1)!.position
    }
  } finally {
    await store.close()
  }
  return report(
    'log',
    streams,
    'replace these secrets where they are used: the log keeps them, for people who can read your files',
  )
}

async function searchRecordings(directory: string, redactor: Redactor): Promise<DoctorFinding[]> {
  const files = existsSync(directory) ? readdirSync(directory).filter(name => /\.cast(\.gz)?$/.test(name)) : []
  const found = new Map<string, Counts>()
  for (const name of files) {
    const lines = createInterface({ input: Readable.from(recordingBytes(join(directory, name))) })
    for await (const line of lines) count(redactor.redact(line), line, found, name)
  }
  return report('recordings', found, 'inspect a recording before you share it; exports are redacted')
}

/** Markers that were there before are secrets that were removed in time. */
function count(redacted: string, original: string, places: Map<string, Counts>, place: string): void {
  const before = original.match(MARKER)?.length ?? 0
  const markers = [...redacted.matchAll(MARKER)]
  if (markers.length <= before) return
  const counts: Counts = places.get(place) ?? new Map()
  for (const [, kind] of markers.slice(before)) counts.set(kind!, (counts.get(kind!) ?? 0) + 1)
  places.set(place, counts)
}

function report(check: string, places: ReadonlyMap<string, Counts>, next: string): DoctorFinding[] {
  if (places.size === 0) return [{ check, level: 'ok', message: 'no secrets found' }]
  const named = [...places].slice(0, NAMED).map(([place, counts]) => {
    const kinds = [...counts].map(([kind, times]) => `${kind}${times > 1 ? ` ×${times}` : ''}`)
    return `${place} (${kinds.join(', ')})`
  })
  const more = places.size > NAMED ? ` and ${places.size - NAMED} more` : ''
  return [
    {
      check,
      level: 'warning',
      message: `secrets in ${plural(places.size, 'place')}: ${named.join('; ')}${more}`,
      next,
    },
  ]
}
