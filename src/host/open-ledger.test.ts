import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ApprovalRecord, type Ledger, ledgerProjections } from '../approvals/index.js'
import { decisionOf, reportedOf } from '../approvals/testing/fixtures.js'
import { SimulatedClock } from '../clock/index.js'
import { validateEvent } from '../events/index.js'
import { People } from '../people/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { PROJECT_FILE } from '../trust/index.js'
import { openLedger } from './open-ledger.js'

let directory: string
let store: EventStore
let ledger: Ledger
let asked: number

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-open-ledger-'))
  const clock = new SimulatedClock(1_000_000)
  const projections = ledgerProjections as never
  store = await openTestStore({ path: join(directory, 'store.db'), clock, projections, validate: validateEvent })
  const settings = { settingsFile: join(directory, 'config.toml'), approvals: { grantUses: 7 } }
  ledger = openLedger({ store, settings })
  asked = 0
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const ask = (project = '/p'): Promise<ApprovalRecord> =>
  ledger.request(reportedOf({ requestKey: `k${++asked}` }, { project, cwd: project }))

it('a grant ends when the settings of the user or of the project change', async () => {
  const project = join(directory, 'project')
  const grant = async () => {
    const record = await ask(project)
    await ledger.decide(
      record.id,
      decisionOf(record, { option: 'allow', grant: { scope: 'session', match: { kind: 'same' } } }),
    )
  }
  await grant()
  expect(await ledger.grants.list()).toMatchObject([{ maxUses: 7 }])
  expect((await ask(project)).state).toBe('decided')
  writeFileSync(join(directory, 'config.toml'), '[approvals]\ngrant_uses = 5\n')
  expect((await ask(project)).state).toBe('pending')
  await grant()
  expect((await ask(project)).state).toBe('decided')
  const file = join(project, PROJECT_FILE)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '[terminal]\nscrollback = 900\n')
  expect((await ask(project)).state).toBe('pending')
})

it('a person in a chat has the current role of people.json, whatever role the bot reports', async () => {
  const people = new People(directory)
  const ann = people.pair(4711, { name: 'Ann', role: 'approver' })
  const actor = { kind: 'person', id: ann.id, name: 'Ann', role: 'owner' } as const
  const decide = async () => {
    const record = await ask()
    return ledger.decide(record.id, decisionOf(record, { option: 'allow', actor, surface: 'telegram' }))
  }
  expect((await decide()).tier).toBe('allow-once')
  people.save([{ ...ann, role: 'viewer' }])
  await expect(decide()).rejects.toMatchObject({ code: 'E_ROLE' })
  people.save([])
  await expect(decide()).rejects.toMatchObject({ code: 'E_ROLE' })
})
