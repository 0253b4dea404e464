import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getRun, runStream } from '../../engine/index.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/open-runs.js'
import { serverPipelines } from './server-pipelines.js'

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-server-pipelines-')))
const cwd = join(directory, 'work')

beforeAll(() => {
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'a.txt'), 'one\n')
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['-c', 'user.email=a@b', '-c', 'user.name=a', 'commit', '-q', '-m', 'first'],
  ])
    spawnSync('git', args, { cwd })
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function context(at: string): CommandContext {
  const env = { SIGNALBOX_HOME: join(directory, 'home'), HOME: directory, PATH: process.env.PATH }
  const nothing = () => undefined
  return {
    env,
    cwd: at,
    isInteractive: false,
    out: nothing,
    note: nothing,
    write: nothing,
    json: nothing,
    style: (_: string, text: string) => text,
  } as never
}

test.each([
  ['implementation', { title: 'A lamp', agent: 'demo' }, 'A lamp'],
  ['review', { agent: 'demo' }, 'Review of what is not committed in work'],
])(
  '%s that is started through the API keeps labels, budget and person, and is the daemon’s to drive',
  async (name, input, title) => {
    const wish = { input, project: cwd, person: 'ada', labels: { team: 'x', priority: '3' }, maxCostUsd: 2.5 }
    const id = await serverPipelines(context).start(name, wish)
    await withStore(context(cwd), async store => {
      expect(await getRun(store, id)).toMatchObject({
        title,
        status: 'queued',
        person: 'ada',
        labels: { team: 'x', priority: '3', pipeline: name, host: 'daemon' },
      })
      const [created] = await store.readStream(runStream(id), { limit: 1 })
      expect(created!.data).toMatchObject({ limits: { costUsd: 2.5 } })
    })
    expect(existsSync(join(directory, 'home', 'run', 'signalbox.sock'))).toBe(false)
  },
)
