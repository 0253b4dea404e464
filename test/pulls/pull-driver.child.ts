// Drives one run of a pull request in a process of its own, which kills itself before and after
// every event at which no earlier process of this run was killed: each boundary is met once.
// Arguments: the directory of the fixture, the run, the directory of `gh`, the file of boundaries,
// and how many boundaries are left out between two kills.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { PipelineFixture } from '../../src/pipelines/testing/pipeline-fixture.js'
import type { EventStore } from '../../src/store/index.js'

const [directory = '', run = '', bin = '', file = '', every = '1'] = process.argv.slice(2)
const met = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])

/** Notes the boundary, and dies there if it is its turn. */
function reach(boundary: string): void {
  if (met.has(boundary)) return
  met.add(boundary)
  const dies = met.size % Number(every) === 0
  appendFileSync(file, `${boundary}\n`)
  if (dies) process.kill(process.pid, 'SIGKILL')
}

interface Written {
  stream: string
  events: readonly { type: string; data: object }[]
}

/** The events of an append by their type and what they are about. */
function nameOf(appends: readonly Written[]): string {
  const about = (data: object) => {
    const { step, node, gate, act, on } = data as Record<string, unknown>
    return [step, node, gate, act, on].filter(word => word !== undefined).join(' ')
  }
  const names = appends.flatMap(({ events }) => events.map(({ type, data }) => `${type} ${about(data)}`.trim()))
  // A step that is tried again has the same boundaries.
  return names.join(', ').replace(/#\d+/g, '')
}

const WRITES = new Set(['append', 'appendAll'])

function killedAtEvents(store: EventStore): EventStore {
  return new Proxy(store, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown
      if (typeof value !== 'function') return value
      if (!WRITES.has(String(key))) return value.bind(target)
      return async (...args: unknown[]) => {
        const appends =
          key === 'append' ? [{ stream: args[0], events: args[2] } as Written] : (args[0] as readonly Written[])
        const name = nameOf(appends)
        reach(`before ${name}`)
        const done = await (value as (...given: unknown[]) => Promise<unknown>).apply(target, args)
        reach(`after ${name}`)
        return done
      }
    },
  })
}

const fixture = await PipelineFixture.at(directory)
fixture.path = `${bin}:${process.env.PATH}`
fixture.script({
  // Every item gets a verdict; the Developer changes a file in every turn.
  evaluator: [
    turn => {
      const numbers = [...turn.prompt.matchAll(/^#(\d+) \[/gm)].map(([, number]) => Number(number))
      const items = numbers.map(number => ({ number, verdict: 'must_fix', reason: 'so', reply: 'Right.' }))
      return { text: JSON.stringify({ items, summary: 'judged' }) }
    },
  ],
  developer: [(_, call) => ({ files: { [`fix-${call.step.replace(/\W+/g, '-')}.txt`]: 'x\n' } })],
})
await fixture.drive(run, killedAtEvents(fixture.store))
const { status, reason } = (await fixture.readRun(run)).record
await fixture.store.close()
process.stdout.write(JSON.stringify({ status, reason }))
