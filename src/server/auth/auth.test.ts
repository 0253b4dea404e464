import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { OWNER } from '../caller.js'
import { Auth } from './auth.js'
import { hashPassphrase } from './passphrase.js'
import { signProof } from './proof.js'

const HOUR = 3_600_000
const directory = mkdtempSync(join(tmpdir(), 'signalbox-auth-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let count = 0
async function open(options: { passphrase?: string; state?: string; clock?: SimulatedClock } = {}) {
  const state = options.state ?? mkdtempSync(join(directory, 's'))
  const clock = options.clock ?? new SimulatedClock(1_800_000_000_000)
  const passphraseFile = options.passphrase === undefined ? null : join(directory, `p${count++}`)
  if (passphraseFile !== null) writeFileSync(passphraseFile, options.passphrase!)
  const errors: unknown[] = []
  const settings = { stateDirectory: state, passphraseFile, loginsPer15Min: 5 }
  const auth = await Auth.open(settings, clock, error => errors.push(error))
  return { auth, clock, state, errors }
}

const request = { method: 'GET', target: '/x', host: '127.0.0.1:1', body: new Uint8Array() }
let nonce = 0
function proof(id: string, key: Uint8Array, ms: number): string {
  const stamp = { ms, nonce: `nonce-${String(nonce++).padStart(16, '0')}` }
  return `${id}.${ms}.${stamp.nonce}.${signProof(key, request, stamp)}`
}

describe('logins', () => {
  test('a login link works once within five minutes', async () => {
    const { auth, clock } = await open()
    const code = await auth.codes.make(OWNER)
    await auth.login({ code }, 'a')
    await expect(auth.login({ code }, 'b')).rejects.toMatchObject({ code: 'E_LOGIN' })
    const late = await auth.codes.make(OWNER)
    clock.advance(5 * 60_000)
    await expect(auth.login({ code: late }, 'c')).rejects.toMatchObject({ code: 'E_LOGIN' })
    expect(auth.devices.list()).toHaveLength(1)
  })

  test.each(['plain', 'hashed'])(
    'a passphrase login (%s in its file) works, and five wrong ones block logins for 15 minutes',
    async form => {
      const secret = 'correct horse battery'
      const { auth, clock } = await open({
        passphrase: form === 'plain' ? `${secret}\n` : await hashPassphrase(secret),
      })
      const { device } = await auth.login({ passphrase: secret }, 'a')
      expect(device.person).toEqual(OWNER)
      for (let n = 0; n < 5; n++)
        await expect(auth.login({ passphrase: `wrong ${n}` }, 'x')).rejects.toMatchObject({ code: 'E_LOGIN' })
      await expect(auth.login({ passphrase: secret }, 'x')).rejects.toMatchObject({ code: 'E_RATE' })
      clock.advance(15 * 60_000 + 1)
      await auth.login({ passphrase: secret }, 'b')
    },
  )

  test('a short passphrase is refused, and without a passphrase file no passphrase is accepted', async () => {
    await expect(open({ passphrase: 'short' })).rejects.toMatchObject({ code: 'E_CONFIG' })
    const { auth } = await open()
    await expect(auth.login({ passphrase: '' }, 'x')).rejects.toMatchObject({ code: 'E_LOGIN' })
  })
})

describe('devices', () => {
  test('a login expires 12 hours after its last use, and after 7 days at the latest', async () => {
    const { auth, clock } = await open()
    const { device, key } = await auth.login({ code: await auth.codes.make(OWNER) }, 'a')
    for (let n = 0; n < 15; n++) {
      clock.advance(11 * HOUR)
      expect((await auth.proof(proof(device.id, key, clock.now()), request)).kind).toBe('device')
    }
    clock.advance(4 * HOUR)
    await expect(auth.proof(proof(device.id, key, clock.now()), request)).rejects.toMatchObject({ code: 'E_LOGIN' })
    const idle = await auth.login({ code: await auth.codes.make(OWNER) }, 'b')
    clock.advance(12 * HOUR)
    expect(auth.devices.find(idle.device.id)).toBeNull()
  })

  test('a device and its key survive a restart; proofs from before the restart are refused', async () => {
    const { auth, clock, state } = await open()
    const { device, key } = await auth.login(
      { code: await auth.codes.make({ id: 'p', name: 'Ada', role: 'viewer' }) },
      'a',
    )
    await auth.devices.untilSaved()
    expect(readFileSync(join(state, 'devices.json'), 'utf8')).toContain(device.id)
    const kept = proof(device.id, key, clock.now())
    clock.advance(1000)
    const later = await open({ state, clock })
    await expect(later.auth.proof(kept, request)).rejects.toMatchObject({ code: 'E_PROOF' })
    expect((await later.auth.proof(proof(device.id, key, clock.now()), request)).person.role).toBe('viewer')
    expect(later.auth.token.isCurrent(readFileSync(join(state, 'token'), 'utf8').trim())).toBe(true)
  })

  test('a device with an unknown role in the file is a viewer; an unreadable file has no devices', async () => {
    const { auth, state, clock } = await open()
    await auth.login({ code: await auth.codes.make(OWNER) }, 'a')
    await auth.devices.untilSaved()
    const file = join(state, 'devices.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"role":"owner"', '"role":"emperor"'))
    expect((await open({ state, clock })).auth.devices.list()[0]!.person.role).toBe('viewer')
    writeFileSync(file, '{')
    const broken = await open({ state, clock })
    expect([broken.auth.devices.list(), broken.errors.length]).toEqual([[], 1])
  })

  test('a revoked device is removed at once, and listeners are notified', async () => {
    const { auth } = await open()
    const revoked: string[] = []
    auth.devices.onRevoked(id => revoked.push(id))
    const { device, key } = await auth.login({ code: await auth.codes.make(OWNER) }, 'a')
    await auth.devices.revoke(device.id)
    expect(revoked).toEqual([device.id])
    await expect(auth.proof(proof(device.id, key, 1_800_000_000_000), request)).rejects.toThrow()
  })
})

test('a login confirms operations of its own device for five minutes, but no decision', async () => {
  const { auth, clock } = await open()
  const { device } = await auth.login({ code: await auth.codes.make(OWNER) }, 'a')
  const who = { kind: 'device' as const, person: OWNER, device }
  auth.requireConfirmed(who, null)
  expect(auth.confirmedAt(who)).toBeUndefined()
  const needed = expect.objectContaining({ code: 'E_STEP_UP' })
  expect(() => auth.requireConfirmed({ kind: 'token', person: OWNER }, null)).toThrow(needed)
  clock.advance(5 * 60_000 + 1)
  expect(() => auth.requireConfirmed(who, null)).toThrow(needed)
  await auth.stepUp(who, { code: await auth.codes.make(OWNER) })
  auth.requireConfirmed(who, null)
})

test('a step-up confirmation lasts five minutes for the credential that gave it', async () => {
  const { auth, clock } = await open()
  const { device } = await auth.login({ code: await auth.codes.make(OWNER) }, 'a')
  const who = { kind: 'device' as const, person: OWNER, device }
  expect(auth.confirmedAt(who)).toBeUndefined()
  await auth.stepUp(who, { code: await auth.codes.make(OWNER) })
  expect(auth.confirmedAt(who)).toBe(clock.now())
  expect(auth.confirmedAt({ kind: 'token', person: OWNER })).toBeUndefined()
  clock.advance(5 * 60_000 + 1)
  expect(auth.confirmedAt(who)).toBeUndefined()
})
