import { describe, expect, it } from 'vitest'
import { differencesOf, type WorkerInventory, type WorkerLog } from './inventory.js'

const NOTHING: WorkerInventory = { sessions: [], steps: [], recordings: [], workspaces: [] }
const open = (worker = 'w1') => ({ worker, isOpen: true })
const over = (worker = 'w1') => ({ worker, isOpen: false })

function compare(inventory: Partial<WorkerInventory>, log: Partial<WorkerLog> = {}): string[] {
  const logged = { worker: 'w1', sessions: new Map(), runs: new Map(), steps: [], ...log }
  return differencesOf({ ...NOTHING, ...inventory }, logged).map(({ what, id, is }) => `${what} ${id} ${is}`)
}

describe('a worker compared with the log', () => {
  it('has no differences if both know the same', () => {
    const step = { run: 'run_1', step: 'work', key: 'work/3' }
    expect(
      compare(
        { sessions: ['ses_1'], recordings: ['ses_1', 'ses_0'], steps: [step], workspaces: ['run_1', 'run_0'] },
        {
          sessions: new Map([
            ['ses_1', open()],
            ['ses_0', over()],
            ['ses_9', open('w2')],
          ]),
          runs: new Map([
            ['run_1', open()],
            ['run_0', over('w2')],
          ]),
          steps: [step],
        },
      ),
    ).toEqual([])
  })

  it('runs sessions that no event knows, that have ended, or that another machine has', () => {
    const sessions = new Map([
      ['ses_2', over()],
      ['ses_3', open('w2')],
    ])
    expect(compare({ sessions: ['ses_1', 'ses_2', 'ses_3'], recordings: ['ses_1'] }, { sessions })).toEqual([
      'session ses_1 unknown',
      'session ses_2 ended',
      'session ses_3 elsewhere',
    ])
  })

  it('does not have a session that runs there in the log', () => {
    expect(compare({}, { sessions: new Map([['ses_1', open()]]) })).toEqual(['session ses_1 missing'])
  })

  it('performs steps of runs that are unknown, over, or on another worker', () => {
    const runs = new Map([
      ['run_2', over()],
      ['run_3', open('w2')],
    ])
    const steps = ['run_1', 'run_2', 'run_3'].map(run => ({ run, step: 'work', key: 'work/3' }))
    expect(compare({ steps }, { runs })).toEqual([
      'step run_1/work unknown',
      'step run_2/work ended',
      'step run_3/work elsewhere',
    ])
  })

  it('does not perform an attempt that is open in the log', () => {
    const runs = new Map([['run_1', open()]])
    const earlier = { run: 'run_1', step: 'work', key: 'work/3' }
    expect(compare({ steps: [earlier] }, { runs, steps: [{ ...earlier, key: 'work/7' }] })).toEqual([
      'step run_1/work missing',
    ])
  })

  it('has recordings and files of what no event knows', () => {
    expect(compare({ recordings: ['ses_1'], workspaces: ['run_1'] })).toEqual([
      'recording ses_1 unknown',
      'workspace run_1 unknown',
    ])
  })
})
