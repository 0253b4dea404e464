import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../approvals/index.js'
import { loadConfig } from '../../config/index.js'
import { approvalPolicy } from './home.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-policy-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function policyOf(toml: string) {
  const userFile = join(directory, 'config.toml')
  writeFileSync(userFile, toml)
  return approvalPolicy(loadConfig({ environment: {}, userFile }).config)
}

test('the policy has the ledger’s defaults without settings', () => {
  expect(policyOf('')).toEqual({ ...DEFAULT_POLICY, keepMs: 365 * 86_400_000 })
})

test('every setting reaches the policy in its unit', () => {
  expect(
    policyOf(
      'approvals.keep_days = 30\napprovals.decide_from = ["web"]\napprovals.grant_for = "5m"\napprovals.grant_max = "1h"\napprovals.grant_uses = 3\napprovals.expire_after = "10m"\napprovals.max_pending = 7\napprovals.unproven = "allow"\n',
    ),
  ).toEqual({
    decideFrom: ['web'],
    stepUp: false,
    grantForMs: 300_000,
    grantMaxMs: 3_600_000,
    grantUses: 3,
    unproven: 'allow',
    expireAfterMs: 600_000,
    maxPending: 7,
    keepMs: 30 * 86_400_000,
  })
})

test('step-up is on if it is set, and for a public server', () => {
  expect(policyOf('approvals.step_up = "on"').stepUp).toBe(true)
  expect(policyOf('server.public = true').stepUp).toBe(true)
  expect(policyOf('server.public = true\napprovals.step_up = "off"').stepUp).toBe(false)
})

test('the default duration of a grant does not exceed the maximum', () => {
  expect(policyOf('approvals.grant_max = "10m"').grantForMs).toBe(600_000)
})
