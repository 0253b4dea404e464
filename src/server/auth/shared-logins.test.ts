import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { OWNER } from '../caller.js'
import { Auth } from './auth.js'
import { signProof } from './proof.js'
import { SharedLogins } from './shared-logins.js'

const REQUEST = { method: 'GET', target: '/api/v1/sessions', host: '127.0.0.1:1', body: new Uint8Array() }

let directory: string
let store: EventStore
let clock: SimulatedClock

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-auth-'))
  clock = new SimulatedClock(1_800_000_000_000)
  store = await openTestStore({ path: join(directory, 'store.db'), clock, projections: [] })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

async function server(name: string): Promise<Auth> {
  const stateDirectory = join(directory, name)
  mkdirSync(stateDirectory)
  const settings = { stateDirectory, passphraseFile: null, loginsPer15Min: 2 }
  const fail = (error: unknown) => {
    throw error
  }
  return Auth.open(settings, clock, fail, { logins: new SharedLogins(store), server: name })
}

function proofOf(id: string, key: Buffer, nonce = 'n'.repeat(16)): string {
  const stamp = { ms: clock.now(), nonce }
  return `${id}.${stamp.ms}.${nonce}.${signProof(key, REQUEST, stamp)}`
}

test('a login link of one server works once, on any server', async () => {
  const [a, b] = [await server('a'), await server('b')]
  const code = await a.codes.make(OWNER)
  const both = await Promise.allSettled([a.login({ code }, 'x'), b.login({ code }, 'y')])
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a browser that logged in on one server is known to the others, and each proof works once', async () => {
  const [a, b] = [await server('a'), await server('b')]
  const { device, key } = await a.login({ code: await a.codes.make(OWNER) }, 'x')
  const proof = proofOf(device.id, key)
  expect((await b.proof(proof, REQUEST)).person).toEqual(OWNER)
  await expect(a.proof(proof, REQUEST)).rejects.toMatchObject({ code: 'E_PROOF' })
  const ended: string[] = []
  b.devices.onRevoked(id => ended.push(id))
  await a.devices.revoke(device.id)
  await b.reload()
  expect(ended).toEqual([device.id])
  await expect(b.proof(proofOf(device.id, key, 'm'.repeat(16)), REQUEST)).rejects.toMatchObject({ code: 'E_LOGIN' })
})

test('two servers that add and use devices at the same time lose none', async () => {
  const [a, b] = [await server('a'), await server('b')]
  const add = async (auth: Auth, name: string) => auth.login({ code: await auth.codes.make(OWNER) }, name)
  await Promise.all([add(a, '1'), add(b, '2'), add(a, '3'), add(b, '4')])
  await a.reload()
  expect(
    a.devices
      .list()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['1', '2', '3', '4'])
})

test('failed logins on any server count for all of them', async () => {
  const [a, b] = [await server('a'), await server('b')]
  for (const auth of [a, b]) await expect(auth.login({ code: 'wrong' }, 'x')).rejects.toMatchObject({ code: 'E_LOGIN' })
  await expect(a.login({ code: await a.codes.make(OWNER) }, 'x')).rejects.toMatchObject({ code: 'E_RATE' })
  clock.advance(15 * 60_000 + 1)
  await b.login({ code: await b.codes.make(OWNER) }, 'x')
})

test('the token of each server works on all of them until all are revoked', async () => {
  const [a, b] = [await server('a'), await server('b')]
  const tokenOf = (name: string) => readFileSync(join(directory, name, 'token'), 'utf8').trim()
  const [first, second] = [tokenOf('a'), tokenOf('b')]
  expect((await a.bearer(second)).kind).toBe('token')
  await a.revokeAll()
  await b.reload()
  for (const token of [first, second]) await expect(b.bearer(token)).rejects.toMatchObject({ code: 'E_LOGIN' })
  expect((await a.bearer(tokenOf('b'))).kind).toBe('token')
})
