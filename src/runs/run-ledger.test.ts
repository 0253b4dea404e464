import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ApprovalRecord, ledgerProjections } from '../approvals/index.js'
import { decisionOf, reportedOf } from '../approvals/testing/fixtures.js'
import { SimulatedClock } from '../clock/index.js'
import { validateEvent } from '../events/index.js'
import { type EventStore, openStore } from '../store/index.js'
import { createRedactor } from '../text/index.js'
import { PROJECT_FILE } from '../trust/index.js'
import { openRunLedger } from './run-ledger.js'

let directory: string
let clock: SimulatedClock
let store: EventStore
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-run-ledger-'))
  clock = new SimulatedClock(1_000_000)
  const projections = ledgerProjections as never
  store = await openStore({ path: join(directory, 'store.db'), clock, projections, validate: validateEvent })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

it('a grant ends for a run in the foreground, too, when the settings are others', async () => {
  const settingsFile = join(directory, 'config.toml')
  const project = join(directory, 'project')
  const ledger = openRunLedger({
    store,
    clock,
    redactor: createRedactor(),
    settingsFile,
    policy: { grantUses: 7 },
    onError: error => {
      throw error
    },
  })
  let asked = 0
  const ask = (): Promise<ApprovalRecord> =>
    ledger.request(reportedOf({ requestKey: `k${++asked}` }, { project, cwd: project }))
  const grant = async () => {
    const record = await ask()
    await ledger.decide(
      record.id,
      decisionOf(record, { option: 'allow', grant: { scope: 'session', match: { kind: 'same' } } }),
    )
  }
  await grant()
  expect(await ledger.grants.list()).toMatchObject([{ maxUses: 7 }])
  expect((await ask()).state).toBe('decided')
  writeFileSync(settingsFile, '[approvals]\ngrant_uses = 5\n')
  expect((await ask()).state).toBe('pending')
  await grant()
  expect((await ask()).state).toBe('decided')
  const file = join(project, PROJECT_FILE)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '[terminal]\nscrollback = 900\n')
  expect((await ask()).state).toBe('pending')
})
