import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newEvent } from '../../events/index.js'
import { listRuns } from '../control.js'
import { GraphFixture, Script, type ScriptedOutcome } from './testing/graph-fixture.js'

let fixture: GraphFixture
beforeEach(async () => {
  fixture = await GraphFixture.open()
})
afterEach(() => fixture.close())

const CHILD = 'digraph { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'
const parts: string[] = []

/** The parts of a manager; its child never moves by itself. */
function manager(look: (n: number) => Record<string, unknown>): ScriptedOutcome {
  let looks = 0
  return async call => {
    const part = call.step.slice(call.step.indexOf('+') + 1)
    parts.push(part)
    if (part === 'source') return { child: { dot: CHILD, file: null, hash: '', attached: null } }
    if (part.startsWith('look')) return { status: 'retry', context_updates: look(++looks) }
    return {}
  }
}

const DOT = (attributes: string) =>
  `m [shape=house, stack.child_dotfile=x, manager.poll_interval=10s${attributes}]; start -> m -> exit`

describe('a manager node', () => {
  beforeEach(() => void parts.splice(0))

  test('observes its child periodically and stops it when the condition holds', async () => {
    const script = new Script({ m: manager(n => ({ 'stack.child.node': n === 3 ? 'enough' : 'more' })) })
    const ran = await fixture.run(DOT(', manager.stop_condition="stack.child.node=enough"'), script)
    expect([ran.status, parts]).toEqual(['completed', ['source', 'look1', 'look2', 'look3', 'stop']])
    expect((await listRuns(fixture.store)).filter(({ parent }) => parent === ran.id)).toHaveLength(1)
  })

  test('fails after its last cycle', async () => {
    const ran = await fixture.run(DOT(', manager.max_cycles=2'), new Script({ m: manager(() => ({})) }))
    expect([ran.status, ran.text]).toEqual(['failed', expect.stringContaining('Max cycles exceeded')])
  })

  test('steers only if configured, and not before the cooldown has passed', async () => {
    const attributes = ', manager.max_cycles=5, manager.actions="observe,steer", manager.steer_cooldown=25s'
    await fixture.run(DOT(attributes), new Script({ m: manager(() => ({})) }))
    expect(parts.filter(part => part.startsWith('steer')).length).toBeLessThanOrEqual(2)
    expect(parts).toContain('steer1')
  })

  test('succeeds or fails with its child, and adopts the child’s outputs', async () => {
    for (const [status, expected] of [
      ['completed', 'completed'],
      ['failed', 'failed'],
    ] as const) {
      const script = new Script({
        m: async call => {
          const part = call.step.slice(call.step.indexOf('+') + 1)
          if (part === 'source') return { child: { dot: CHILD, file: null, hash: '', attached: null } }
          const finished = { child: 'm@1#1', run: 'run_child', status, reason: 'over', outputs: { colour: 'red' } }
          await fixture.store.append(`run/${call.run}`, 'any', [newEvent('child.finished', finished)])
          return { status: 'retry' }
        },
      })
      const ran = await fixture.run(DOT(''), script)
      expect([ran.status, ran.context['stack.child.status']]).toEqual([expected, status])
    }
  })
})

test('a run that receives a message includes it in the next agent prompt once', async () => {
  const id = await fixture.create(
    'digraph { start [shape=Mdiamond]; exit [shape=Msquare]; a; b; start -> a -> b -> exit }',
  )
  await fixture.store.append(`run/${id}`, 'any', [newEvent('run.steered', { text: 'be brief', by: 'someone' })])
  const steering: string[][] = []
  const listen: ScriptedOutcome = async call => {
    steering.push([...(call.work() as { steering: string[] }).steering])
    return {}
  }
  await fixture.drive(id, new Script({ a: listen, b: listen }))
  expect(steering).toEqual([['be brief'], []])
})
