import { createHash, randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Options } from './args.js'
import { Hooks, readSettings } from './hooks.js'
import { loadScenario } from './scenario/load.js'
import type { Scenario } from './scenario/types.js'
import { Transcript, type TranscriptRecord } from './transcript.js'

export const VERSION = '1.0.0'

export interface OpenedSession {
  scenario: Scenario
  transcript: Transcript
  /** Records of the earlier conversation; empty unless resumed. */
  records: TranscriptRecord[]
  hooks: Hooks
  home: string
}

/** Finds every mistake of the command line before the terminal is changed. */
export function openSession(options: Options, defaultScenario: string, cwd: string): OpenedSession {
  const home = process.env.SIGNALBOX_DEMO_HOME || join(homedir(), '.signalbox-demo')
  const hookTable = options.settings ? readSettings(options.settings) : {}
  const previous = options.resume ? Transcript.resume(home, options.resume) : null
  const records = previous?.records ?? (options.fork ? Transcript.read(home, options.fork) : [])
  const recorded = records.find(record => record.type === 'session')?.scenario
  const scenario = loadScenario(options.scenario ?? (typeof recorded === 'string' ? recorded : defaultScenario))
  const id = options.sessionId ?? newSessionId(options.seed)
  const transcript =
    previous?.transcript ??
    Transcript.create(home, id, {
      cwd,
      version: VERSION,
      scenario: options.scenario ?? defaultScenario,
      pid: process.pid,
    })
  if (options.fork) for (const record of records) if (record.type !== 'session') transcript.append(record)
  const about = { session_id: transcript.id, transcript_path: transcript.file, cwd }
  const hooks = new Hooks(hookTable, about, scenario.hooks !== 'ignored')
  return { scenario, transcript, records, hooks, home }
}

function newSessionId(seed: number): string {
  if (seed === 0) return randomUUID()
  const hex = createHash('sha256').update(`signalbox-demo ${seed}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
