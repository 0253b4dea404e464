import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { approvalsProjection } from '../src/approvals/index.js'
import type { systemClock } from '../src/clock/index.js'
import type { createRun, Driver, graphWorkflow, plainInput, runStream, runsProjection } from '../src/engine/index.js'
import type { validateEvent } from '../src/events/index.js'
import type { lintParsed, parseDot } from '../src/graph/index.js'
import type { drawSvg } from '../src/runs/index.js'
import type { loadDriver, openStore } from '../src/store/index.js'

/** What benchmarks need of the rooms. */
interface Rooms {
  approvals: { approvalsProjection: typeof approvalsProjection }
  clock: { systemClock: typeof systemClock }
  engine: {
    createRun: typeof createRun
    Driver: typeof Driver
    graphWorkflow: typeof graphWorkflow
    plainInput: typeof plainInput
    runStream: typeof runStream
    runsProjection: typeof runsProjection
  }
  events: { validateEvent: typeof validateEvent }
  graph: { lintParsed: typeof lintParsed; parseDot: typeof parseDot }
  runs: { drawSvg: typeof drawSvg }
  store: { loadDriver: typeof loadDriver; openStore: typeof openStore }
}

/** Rooms as people run them: from the build, without a compiler in between. */
export async function buildRooms(): Promise<Rooms & { directory: string }> {
  const root = process.env.SIGNALBOX_E2E_ROOT ?? fileURLToPath(new URL('..', import.meta.url))
  const directory = join(root, 'dist', 'rooms')
  if (!existsSync(directory)) throw new Error('there is no build: npm run build')
  const room = async <Name extends keyof Rooms>(name: Name): Promise<Rooms[Name]> =>
    import(pathToFileURL(join(directory, name, 'index.js')).href)
  return {
    directory,
    approvals: await room('approvals'),
    clock: await room('clock'),
    engine: await room('engine'),
    events: await room('events'),
    graph: await room('graph'),
    runs: await room('runs'),
    store: await room('store'),
  }
}
