import { afterEach, beforeEach, expect, test } from 'vitest'
import { Ledger } from '../../src/approvals/index.js'
import { reportedOf } from '../../src/approvals/testing/fixtures.js'
import { LedgerSite } from '../../src/approvals/testing/ledger-site.js'
import { Child } from '../store/child-process.js'

const COUNT = 1_000
const PART = 50

let site: LedgerSite
beforeEach(() => {
  site = new LedgerSite()
})
afterEach(() => site.close())

interface Outcome {
  won: string[]
  lost: string[]
}

test('two processes decide each of 1000 requests once, and the loser learns who decided first', {
  timeout: 290_000,
}, async () => {
  const store = await site.store()
  const ledger = new Ledger(store, { clock: site.clock, policy: { maxPending: COUNT } })
  const asked = []
  for (let index = 0; index < COUNT; index++)
    asked.push(await ledger.request(reportedOf({ requestKey: `k${index}`, input: { command: `npm test ${index}` } })))
  const names = ['Ada', 'Eve']
  const children = names.map(
    (name, index) => new Child('../approvals/two-deciders.child.ts', [site.path, name, index ? 'deny' : 'allow']),
  )
  await Promise.all(children.map(child => child.line()))
  // In parts that both processes start together: the lock of the file is not fair, and one process
  // could otherwise decide all of them.
  const [ada, eve]: [Outcome, Outcome] = [
    { won: [], lost: [] },
    { won: [], lost: [] },
  ]
  for (let from = 0; from < COUNT; from += PART) {
    const lines = children.map(child => child.line())
    for (const child of children) child.send(`${from} ${from + PART}`)
    const [first, second] = (await Promise.all(lines)).map(line => JSON.parse(line) as Outcome) as [Outcome, Outcome]
    for (const [all, part] of [
      [ada, first],
      [eve, second],
    ] as const) {
      all.won.push(...part.won)
      all.lost.push(...part.lost)
    }
  }
  for (const child of children) child.send('0 0')
  expect(await Promise.all(children.map(child => child.exit))).toMatchObject([{ code: 0 }, { code: 0 }])

  expect(ada.won.length + eve.won.length).toBe(COUNT)
  expect(new Set([...ada.won, ...eve.won])).toEqual(new Set(asked.map(({ id }) => id)))
  expect(ada.lost).toEqual(eve.won.map(() => 'Eve'))
  expect(eve.lost).toEqual(ada.won.map(() => 'Ada'))
  // Both decided a part, so that there was a race.
  expect(Math.min(ada.won.length, eve.won.length)).toBeGreaterThan(0)
  const byAda = new Set(ada.won)
  for (const record of await ledger.list({ isOpenOnly: true })) {
    expect(record.state).toBe('decided')
    expect([record.decision!.actor.name, record.decision!.option]).toEqual(
      byAda.has(record.id) ? ['Ada', 'allow'] : ['Eve', 'deny'],
    )
    const types = (await store.readStream(`approval/${record.id}`)).map(({ type }) => type)
    expect(types).toEqual(['approval.requested', 'approval.decided', 'approval.refused'])
  }
  expect(await store.checkChain()).toEqual([])
})
