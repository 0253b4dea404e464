import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The rooms from the build, as users run them. */
export async function buildRooms() {
  const root = process.env.SIGNALBOX_E2E_ROOT ?? fileURLToPath(new URL('..', import.meta.url))
  const dist = join(root, 'dist')
  if (!existsSync(dist)) throw new Error('there is no build; run npm run build')
  const room = (name: string) => import(pathToFileURL(join(dist, name, 'index.js')).href)
  return {
    dist,
    approvals: (await room('approvals')) as typeof import('../src/approvals/index.js'),
    clock: (await room('clock')) as typeof import('../src/clock/index.js'),
    engine: (await room('engine')) as typeof import('../src/engine/index.js'),
    events: (await room('events')) as typeof import('../src/events/index.js'),
    graph: (await room('graph')) as typeof import('../src/graph/index.js'),
    host: (await room('host')) as typeof import('../src/host/index.js'),
    runs: (await room('runs')) as typeof import('../src/runs/index.js'),
    store: (await room('store')) as typeof import('../src/store/index.js'),
  }
}
