import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EventStore } from '../store/index.js'
import { decideBatch, denyAll } from './batch.js'
import type { ProposedDecision } from './decide.js'
import { grantStream } from './grants.js'
import { Ledger } from './ledger.js'
import type { ApprovalRecord } from './record.js'
import { decisionOf, reportedOf, requestOf } from './testing/fixtures.js'
import { LedgerSite } from './testing/ledger-site.js'

const MINUTE = 60_000
const OWNER = { kind: 'person', id: 'eve', name: 'Eve', role: 'owner' } as const

let site: LedgerSite
let store: EventStore
let ledger: Ledger

beforeEach(async () => {
  site = new LedgerSite()
  store = await site.store()
  ledger = new Ledger(store, { clock: site.clock, home: '/home/ada' })
})
afterEach(() => site.close())

const allow = (record: ApprovalRecord, more: Partial<ProposedDecision> = {}) =>
  ledger.decide(record.id, decisionOf(record, { option: 'allow', ...more }))

async function grant(more: Partial<NonNullable<ProposedDecision['grant']>> = {}) {
  const record = await ledger.request(reportedOf())
  const { madeGrant } = await allow(record, {
    grant: { scope: 'session', match: { kind: 'prefix', words: ['npm', 'test'] }, ...more },
  })
  return (await ledger.grants.list({ all: true })).find(({ id }) => id === madeGrant)!
}
const ask = (command: string, key = Math.random().toString()) =>
  ledger.request(reportedOf({ input: { command }, requestKey: key }))
const typesOf = async (stream: string) => (await store.readStream(stream)).map(event => event.type)

describe('a grant in the ledger', () => {
  test('is made with the decision, and decides the requests that it covers', async () => {
    const made = await grant()
    const covered = await ask('npm test -- --run')
    expect(covered).toMatchObject({
      state: 'decided',
      decision: {
        option: 'allow',
        tier: 'allow-once',
        grantId: made.id,
        actor: { kind: 'grant', name: 'a grant of Ada' },
      },
    })
    expect(await ledger.grants.list()).toMatchObject([{ id: made.id, uses: 1, maxUses: 20 }])
    expect((await ask('npm run build')).state).toBe('pending')
    expect((await ask('rm -rf x')).state).toBe('pending')
  })

  test('decides a request that was already pending when its owner requests that', async () => {
    const [pending, other] = [await ask('npm test -- a'), await ask('npm run build')]
    const made = await grant()
    expect([await ledger.decideByGrant(pending.id), await ledger.decideByGrant(other.id)]).toEqual([true, false])
    expect(await ledger.get(pending.id)).toMatchObject({ state: 'decided', decision: { grantId: made.id } })
    expect((await ledger.get(other.id))?.state).toBe('pending')
    expect(await ledger.decideByGrant(pending.id)).toBe(true)
    expect((await ledger.grants.find(made.id)).uses).toBe(1)
  })

  test('covers nothing and ends if it was made under other settings', async () => {
    let mark = 'before'
    ledger = new Ledger(store, { clock: site.clock, home: '/home/ada', settingsHash: () => mark })
    const made = await grant()
    expect(made.settings).toBe('before')
    expect((await ask('npm test')).state).toBe('decided')
    mark = 'after'
    expect((await ask('npm test')).state).toBe('pending')
    await ledger.grants.endOutdated()
    expect((await ledger.grants.find(made.id)).ended).toMatchObject({ reason: 'config' })
  })

  test('ends in the transaction of its last use', async () => {
    const made = await grant({ uses: 2 })
    expect((await ask('npm test')).state).toBe('decided')
    expect((await ask('npm test')).state).toBe('decided')
    expect((await ask('npm test')).state).toBe('pending')
    expect(await typesOf(grantStream(made.id))).toEqual(['grant.made', 'grant.used', 'grant.used', 'grant.ended'])
  })

  test('ends when its duration has passed', async () => {
    await grant({ forMs: MINUTE })
    site.clock.advance(MINUTE - 1)
    expect((await ask('npm test')).state).toBe('decided')
    site.clock.advance(1)
    expect((await ask('npm test')).state).toBe('pending')
  })

  test('is not used if it expires between the search and the append', async () => {
    const made = await grant({ forMs: MINUTE })
    site.clock.advance(MINUTE - 1)
    // Time passes after the grant was found, while the append waits for the file.
    const cover = ledger.grants.cover.bind(ledger.grants)
    ledger.grants.cover = async request => {
      const found = await cover(request)
      site.clock.advance(1)
      return found
    }
    expect((await ask('npm test')).state).toBe('pending')
    expect(await typesOf(grantStream(made.id))).toEqual(['grant.made'])
  })

  test.each(['revoked', 'paused', 'used up'])(
    'is not used if it is %s between the search and the append',
    async what => {
      const made = await grant({ uses: 1 })
      const other = await site.ledger()
      const cover = ledger.grants.cover.bind(ledger.grants)
      let isFirst = true
      ledger.grants.cover = async request => {
        const found = await cover(request)
        if (isFirst) {
          isFirst = false
          if (what === 'revoked') await other.grants.end(made, 'revoked', OWNER)
          if (what === 'paused') await other.grants.pause(OWNER, 'cli')
          if (what === 'used up') await other.request(reportedOf({ requestKey: 'faster' }))
        }
        return found
      }
      expect((await ask('npm test')).state).toBe('pending')
    },
  )

  test('is used for the last time by only one of two processes', async () => {
    await grant({ uses: 3 })
    const others = await Promise.all([site.ledger(), site.ledger(), site.ledger()])
    const records = await Promise.all(
      Array.from({ length: 12 }, (_, index) => others[index % 3]!.request(reportedOf({ requestKey: `r${index}` }))),
    )
    expect(records.filter(({ state }) => state === 'decided')).toHaveLength(3)
    expect(await store.checkChain()).toEqual([])
  })

  test('can be revoked once, by any person who may decide', async () => {
    const made = await grant()
    expect(await ledger.grants.end(made, 'revoked', OWNER)).toBe(true)
    expect(await ledger.grants.end(made, 'time')).toBe(false)
    expect(await ledger.grants.list({ all: true })).toMatchObject([{ ended: { reason: 'revoked', by: 'Eve' } }])
    expect((await ask('npm test')).state).toBe('pending')
  })

  test('has no effect while all grants are paused', async () => {
    await grant()
    await ledger.grants.pause(OWNER, 'cli')
    expect((await ask('npm test')).state).toBe('pending')
    await ledger.grants.resume(OWNER, 'cli')
    expect((await ask('npm test')).state).toBe('decided')
  })

  test('is not made with a refused decision', async () => {
    const record = await ledger.request(reportedOf({ input: { command: 'sudo ls' } }))
    await expect(allow(record, { grant: { scope: 'session' } })).rejects.toMatchObject({
      code: 'E_APPROVAL_OPTION',
      message: expect.stringContaining('risk is high'),
    })
    const viewer = { kind: 'person', id: 'v', name: 'V', role: 'viewer' } as const
    const harmless = await ledger.request(reportedOf())
    await expect(allow(harmless, { grant: { scope: 'session' }, actor: viewer })).rejects.toMatchObject({
      code: 'E_ROLE',
    })
    expect(await ledger.grants.list({ all: true })).toEqual([])
  })

  test('is compared with the original request, although secrets are not stored', async () => {
    const secret = (value: string) => reportedOf({ input: { command: `npm test --token ghp_${value.repeat(36)}` } })
    const record = await ledger.request(secret('a'))
    expect(JSON.stringify(record)).not.toContain('ghp_aaaa')
    await allow(record, { grant: { scope: 'session' } })
    expect((await ledger.request(secret('a'))).state).toBe('decided')
    expect((await ledger.request(secret('b'))).state).toBe('pending')
  })
})

describe('the stored request', () => {
  test('contains no secret in any field, and its display shows what is stored', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const record = await ledger.request(
      reportedOf({ tool: 'Write', input: { file_path: 'x', content: `token = "${token}"` } }),
    )
    const stored = JSON.stringify(await store.readStream(`approval/${record.id}`))
    expect(stored).not.toContain(token)
    expect(stored).toContain('‹secret:')
    await ledger.decide(record.id, decisionOf(record, { option: 'allow' }))
  })

  test('contains no secret in its display if only a question has one', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const questions = [
      { text: `Use ${token} for the upload?`, options: [{ label: 'Yes' }, { label: 'No' }], multi: false },
    ]
    const record = await ledger.request(reportedOf({ tool: 'AskUserQuestion', input: null, questions }))
    expect(JSON.stringify(await store.readStream(`approval/${record.id}`))).not.toContain(token)
  })

  test('is limited in size; a cut request can be denied, but not allowed', async () => {
    const record = await ledger.request(
      reportedOf({ tool: 'Write', input: { file_path: 'x', content: 'word \n'.repeat(40_000) } }),
    )
    expect(JSON.stringify(record).length).toBeLessThan(60_000)
    expect(record.display.isCut).toBe(true)
    await expect(allow(record)).rejects.toMatchObject({ code: 'E_APPROVAL_SEE_ALL' })
    await ledger.decide(record.id, decisionOf(record, { option: 'deny', idempotencyKey: 'other' }))
  })

  test('has an edited input with its own hash', async () => {
    const record = await ledger.request(reportedOf({ can: ['edit'] }))
    await allow(record, { editedInput: { command: 'npm test -- --run' } })
    expect((await ledger.get(record.id))!.decision).toMatchObject({
      editedInput: { command: 'npm test -- --run' },
      editedHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      fingerprint: record.fingerprint,
    })
  })

  test('is refused above the limit of pending requests', async () => {
    const small = await site.ledger({ policy: { maxPending: 2 } })
    await small.request(reportedOf())
    await small.request(reportedOf())
    await expect(small.request(reportedOf())).rejects.toMatchObject({ code: 'E_LIMIT' })
  })
})

describe('a changed version of a request', () => {
  test('supersedes the request in one transaction', async () => {
    const old = await ledger.request(requestOf())
    const next = await ledger.replace(old, reportedOf())
    expect(await ledger.get(old.id)).toMatchObject({ state: 'stale', outcome: { reason: 'changed' } })
    expect(next).toMatchObject({ state: 'pending', follows: old.id })
    expect(await ledger.replace(old, reportedOf())).toBeNull()
    expect(await ledger.list({ isOpenOnly: true })).toHaveLength(1)
  })

  test('counts once among repetitions, together with the request that it supersedes', async () => {
    const ask = async () => {
      const seen = await ledger.request(requestOf())
      return (await ledger.replace(seen, reportedOf()))!
    }
    for (let round = 1; round < 5; round++) {
      const record = await ask()
      expect(record.repeats).toBeUndefined()
      await ledger.cancelled(record, 'session ended')
    }
    expect((await ask()).repeats).toBe(5)
  })

  test('joins reports of other channels; a contradiction is shown and never joins a decided request', async () => {
    const record = await ledger.request(reportedOf())
    const report = { channel: 'screen', requestKey: '3:1', evidence: [{ kind: 'menu' }], menuHash: 'p' }
    expect(await ledger.join(record, report)).toBe(true)
    expect(await ledger.get(record.id)).toMatchObject({
      menuHash: 'p',
      joined: [{ channel: 'screen', requestKey: '3:1' }],
    })
    const menu = [
      { key: 'Yes', label: 'Yes', meaning: 'allow-once', from: 'agent', danger: null },
      { key: 'Always', label: 'Always', meaning: 'allow-always', from: 'agent', danger: 'wider' },
    ] as const
    await ledger.join(record, { ...report, requestKey: '3:2', screenOptions: [...menu] })
    const offered = (await ledger.get(record.id))!.request.options.map(({ meaning }) => meaning)
    expect(offered).toEqual(['allow-once', 'deny', 'allow-always'])
    await allow(record)
    expect(await ledger.join(record, { ...report, mismatch: 'the menu shows rm' })).toBe(false)
    expect((await ledger.get(record.id))!.source.mismatch).toBeUndefined()
  })
})

describe('a batch of decisions', () => {
  const by = { actor: OWNER, surface: 'web' as const }
  const items = (records: readonly ApprovalRecord[]) => records.map(({ id, fingerprint }) => ({ id, fingerprint }))

  test('decides and records each request by itself, and refuses those that may not be in it', async () => {
    const low = await Promise.all(['npm test', 'git status'].map(command => ask(command)))
    const risky = await ask('rm -rf x')
    const elsewhere = await ledger.request(reportedOf({}, { session: 'ses_2' }))
    const otherTool = await ledger.request(reportedOf({ tool: 'Read', input: { file_path: 'a' } }))
    const changed = await ask('ls')
    const results = await decideBatch(
      ledger,
      [...items([...low, risky, elsewhere, otherTool]), { id: changed.id, fingerprint: 'f'.repeat(64) }],
      by,
    )
    expect(results.map(({ state, code }) => code ?? state)).toEqual([
      'decided',
      'decided',
      'E_APPROVAL_OPTION',
      'E_APPROVAL_OPTION',
      'E_APPROVAL_OPTION',
      'E_APPROVAL_CHANGED',
    ])
    for (const record of [risky, elsewhere, otherTool, changed]) {
      expect((await ledger.get(record.id))!.state).toBe('pending')
      expect(await typesOf(`approval/${record.id}`)).toEqual(['approval.requested', 'approval.refused'])
    }
  })

  test('has at most twenty requests, each once and each shown completely', async () => {
    const record = await ask('npm test')
    await expect(decideBatch(ledger, items([record, record]), by)).rejects.toMatchObject({ code: 'E_INPUT' })
    const many = Array.from({ length: 21 }, (_, index) => ({ id: `apr_${index}`, fingerprint: '' }))
    await expect(decideBatch(ledger, many, by)).rejects.toMatchObject({ code: 'E_INPUT' })
    const long = await ask(`echo ${'word '.repeat(60)}`)
    expect(await decideBatch(ledger, items([long]), by)).toMatchObject([{ state: 'refused' }])
  })

  test('leaves a question open with a reason if deny-all finds no option that denies', async () => {
    const base = reportedOf()
    const options = base.request.options.filter(({ meaning }) => meaning === 'allow-once')
    const { id } = await ledger.request({ ...base, request: { ...base.request, options } })
    expect(await denyAll(ledger, by)).toMatchObject([
      { id, state: 'refused', message: expect.stringContaining('no option that denies') },
    ])
    expect((await ledger.get(id))!.state).toBe('pending')
  })

  test('denies all requests without conditions', async () => {
    await ask('npm test')
    await ask('rm -rf x')
    await ledger.request(requestOf())
    expect((await denyAll(ledger, by)).map(({ state }) => state)).toEqual(['decided', 'decided', 'decided'])
    expect((await ledger.list({ isOpenOnly: true })).every(({ decision }) => decision?.tier === 'deny')).toBe(true)
  })
})
