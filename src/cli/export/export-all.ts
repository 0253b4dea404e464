import { createWriteStream, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { approvalsProjection } from '../../approvals/index.js'
import { systemClock } from '../../clock/index.js'
import { runsProjection } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { type SessionRecord, sessionsProjection } from '../../sessions/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import { recordingBytes, storedRecording } from '../../terminal/recording/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'
import { talkMarkdown } from './talk-markdown.js'

const BATCH = 1_000

const README = `What Signalbox stored, in formats that need no Signalbox.

events.ndjson     every event, one JSON object per line, in the order of the log
sessions.json     the sessions, as the events describe them
approvals.json    the requests and what became of them
runs.json         the runs
sessions/*.md     what was asked and answered in each session
recordings/*.cast every byte of each terminal with its time (asciicast v2)

Times are milliseconds since 1970 (UTC).
`

/** Everything in open formats: JSON, Markdown, asciicast. */
export async function exportAll(
  context: CommandContext,
  { output, json }: InputOf<'export'>['options'],
): Promise<number> {
  const day = new Date(systemClock.now()).toISOString().slice(0, 10)
  const directory = resolve(context.cwd, output ?? `signalbox-export-${day}`)
  const found = statSync(directory, { throwIfNoEntry: false })
  if (found && !found.isDirectory())
    throw new SignalboxError('E_INPUT', `${directory} is a file`, { next: 'name a new directory with -o' })
  if (found && readdirSync(directory).length > 0)
    throw new SignalboxError('E_INPUT', `${directory} is not empty`, { next: 'name a new directory with -o' })
  for (const part of ['sessions', 'recordings']) mkdirSync(join(directory, part), { recursive: true, mode: 0o700 })
  const counts = await withStore(context, async (store, { settings }) => {
    const events = await writeEvents(store, join(directory, 'events.ndjson'))
    const sessions = await writeRecords<SessionRecord>(store, sessionsProjection.name, join(directory, 'sessions.json'))
    const approvals = await writeRecords(store, approvalsProjection.name, join(directory, 'approvals.json'))
    const runs = await writeRecords(store, runsProjection.name, join(directory, 'runs.json'))
    let recordings = 0
    for (const record of sessions) {
      const markdown = talkMarkdown(record, await readAll(store, `session/${record.id}`))
      writeFileSync(join(directory, 'sessions', `${record.id}.md`), markdown, { mode: 0o600 })
      const moved = join(settings.dataDirectory, 'recordings', `${record.id}.cast`)
      const recording = storedRecording(record.recording) ?? storedRecording(moved)
      if (recording === null) continue
      const copy = createWriteStream(join(directory, 'recordings', `${record.id}.cast`), { mode: 0o600 })
      await pipeline(recordingBytes(recording), copy)
      recordings += 1
    }
    return { events, sessions: sessions.length, approvals: approvals.length, runs: runs.length, recordings }
  })
  writeFileSync(join(directory, 'README.txt'), README, { mode: 0o600 })
  if (json) context.json({ directory, ...counts })
  else {
    const { events, sessions, approvals, runs, recordings } = counts
    const parts = [
      plural(events, 'event'),
      plural(sessions, 'session'),
      plural(approvals, 'request'),
      plural(runs, 'run'),
      plural(recordings, 'recording'),
    ]
    context.out(`${directory}: ${parts.join(', ')}`)
  }
  return EXIT.ok
}

async function writeEvents(store: EventStore, file: string): Promise<number> {
  const output = createWriteStream(file, { mode: 0o600 })
  const written = new Promise<void>((resolve, reject) => output.on('finish', resolve).on('error', reject))
  const head = await store.head()
  let count = 0
  for (let after = 0; after < head; ) {
    const events = await store.readAll({ after, limit: BATCH })
    for (const event of events) output.write(`${JSON.stringify(event)}\n`)
    count += events.length
    after = events.at(-1)?.position ?? head
  }
  output.end()
  await written
  return count
}

async function writeRecords<Record>(store: EventStore, projection: string, file: string): Promise<Record[]> {
  const records = (await store.documents<Record>(projection)).map(({ state }) => state).reverse()
  writeFileSync(file, `${JSON.stringify(records, null, 2)}\n`, { mode: 0o600 })
  return records
}

async function readAll(store: EventStore, stream: string): Promise<StoredEvent[]> {
  const found: StoredEvent[] = []
  for (;;) {
    const page = await store.readStream(stream, { fromVersion: (found.at(-1)?.version ?? 0) + 1, limit: BATCH })
    found.push(...page)
    if (page.length < BATCH) return found
  }
}
