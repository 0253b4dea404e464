import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { systemClock } from '../../src/clock/index.js'
import { openStore } from '../../src/store/index.js'
import { Child } from './child-process.js'
import { tally } from './tally.js'

const KILLS = 20
const directory = mkdtempSync(join(tmpdir(), 'signalbox-kill-'))
const path = join(directory, 'store.db')

afterAll(() => rmSync(directory, { recursive: true, force: true }))

interface Acknowledged {
  position: number
  name: string
  n: number
  count: number
}

/** Kills the writer at an arbitrary point after `count` acknowledged appends. */
async function killAfter(writer: Child, name: string, count: number): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = []
  writer.onLine(line => {
    const [position = 0, n = 0, events = 0] = line.split(' ').map(Number)
    acknowledged.push({ position, name, n, count: events })
    if (acknowledged.length >= count) writer.process.kill('SIGKILL')
  })
  writer.send('go')
  expect((await writer.exit).signal).toBe('SIGKILL')
  return acknowledged
}

function startWriter(round: number): Child {
  return new Child('killed-writer.child.ts', [path, `writer-${round}`])
}

it(`no acknowledged append is lost when a writer is killed ${KILLS} times`, async () => {
  let next = startWriter(0)
  let known = 0
  for (let round = 0; round < KILLS; round += 1) {
    const writer = next
    await writer.line()
    // The next writer loads its code while this one runs.
    if (round + 1 < KILLS) next = startWriter(round + 1)
    const acknowledged = await killAfter(writer, `writer-${round}`, 1 + ((round * 37) % 60))

    const store = await openStore({ path, clock: systemClock, projections: [tally] })
    const events = await store.readAll({ after: known, limit: 100_000 })
    const byPosition = new Map(events.map(event => [event.position, event.data]))
    for (const { position, name, n, count } of acknowledged) {
      for (let index = 0; index < count; index += 1) {
        expect(byPosition.get(position - count + 1 + index)).toMatchObject({ name, n, index })
      }
    }
    // An append that was in progress when the writer died is there as a whole or not at all.
    const last = acknowledged.at(-1)!
    const unacknowledged = events.filter(event => event.position > last.position)
    const appends = new Set(unacknowledged.map(event => Number(event.data.n)))
    for (const n of appends) expect(unacknowledged.filter(event => event.data.n === n)).toHaveLength(1 + (n % 3))
    known = await store.head()
    if (round % 10 === 9) expect(await store.check()).toEqual([])
    await store.close()
  }
  const store = await openStore({ path, clock: systemClock, projections: [tally] })
  const counted = (await store.documents<{ count: number }>('tally')).reduce((sum, { state }) => sum + state.count, 0)
  expect(counted).toBe(known)
  expect(await store.check()).toEqual([])
  await store.close()
}, 240_000)
