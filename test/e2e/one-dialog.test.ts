import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

/*
 * One dialog, one request: whatever part of the request fits on the screen, and whether the agent's
 * hook or its dialog comes first.
 */

interface Approval {
  id: string
  state: string
  kind: string
  fingerprint: string
  risk: { level: string }
  terminalOnly?: string
  subject: { session: string }
  request: { tool: string; input: unknown; text: string | null; options: { label: string; meaning: string }[] }
  source: { channel: string; requestKey: string }
  joined?: { channel: string; requestKey: string }[]
  decision?: { actor: { kind: string; name: string }; surface: string }
  outcome?: { reason?: string; followedBy?: string; observed?: object }
}

let home: InsideHome
beforeAll(() => {
  home = new InsideHome()
})
afterEach(() => home.clear())
afterAll(() => home.close())

const ran = () => join(home.work, 'ran.txt')

/**
 * Each dialog asks for something that leaves a line in the file, and is too much for the screen.
 */
const DIALOGS: Record<string, () => object> = {
  'a here-document': () => ({
    name: 'Shell',
    kind: 'shell',
    command: `cat > /tmp/out.$$ <<EOF\n#!/bin/sh\necho one\nEOF\nrm -f /tmp/out.$$; echo ran >> ${ran()}`,
  }),
  'a command of 60 lines': () => ({
    name: 'Shell',
    kind: 'shell',
    command: [
      ...Array.from({ length: 59 }, (_, n) => `echo step ${n} of many > /dev/null`),
      `sudo -n true; echo ran >> ${ran()}`,
    ].join('\n'),
  }),
  'a tool of an MCP server': () => ({
    name: 'mcp__deploy__release',
    kind: 'other',
    input: { environment: 'production', force: true },
    command: `echo ran >> ${ran()}`,
  }),
  'a tool of another kind': () => ({
    name: 'Deploy',
    kind: 'other',
    input: { env: 'prod' },
    command: `echo ran >> ${ran()}`,
  }),
  'an edit of 200 lines': () => ({
    name: 'Write',
    kind: 'write',
    write: { path: 'ran.txt', text: Array.from({ length: 200 }, (_, n) => `line ${n}`).join('\n') },
  }),
}
const ORDERS: Record<string, object> = {
  'the hook first': { afterMs: 5_000 },
  'the menu first': { hookAfterMs: 5_000 },
}
const SIZES = ['60x16', '80x24', '160x50']

/** Each dialog on two sizes, one in each order; each size in both orders, with some dialog. */
function sizeFor(name: string, order: string): string {
  const at = Object.keys(DIALOGS).indexOf(name) + Object.keys(ORDERS).indexOf(order)
  return SIZES[at % SIZES.length]!
}

async function startDialog(tool: object, order: object, size: string): Promise<SessionInfo> {
  const file = join(home.work, 'scenario.json')
  const steps = [{ tool: { ...tool, permission: order } }, { say: 'Went on.' }]
  writeFileSync(file, JSON.stringify({ name: 'one-dialog', turns: [], otherwise: { steps } }))
  const session = await home.json<SessionInfo>(
    ['start', 'demo', '--json', '--size', size, '--', '--speed', '5', '--scenario', file],
    { env: { SIGNALBOX_DEMO_HOME: join(home.directory, 'demo') } },
  )
  await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '100'])
  await home.ok(['send', session.id, 'go'])
  return session
}

const recorded = async ({ id }: SessionInfo) =>
  (await home.json<Approval[]>(['approvals', '--all', '--json'])).filter(({ subject }) => subject.session === id)

/** The requests of a session that a later report has not superseded. */
const standing = async (session: SessionInfo) =>
  (await recorded(session)).filter(({ outcome }) => outcome?.followedBy === undefined)

/** Its hook is known to the ledger, and its dialog is on the screen. */
async function bothKnown(session: SessionInfo): Promise<Approval[]> {
  return waitFor('the dialog and its hook', async () => {
    const { stdout } = await home.ok(['read', session.id, '--screen'])
    const list = await standing(session)
    const isHooked = list.some(({ source, joined = [] }) =>
      [source, ...joined].some(({ requestKey }) => requestKey.startsWith('hook:')),
    )
    return stdout.includes('Yes, this once') && isHooked ? list : null
  })
}

/** Its one request, as soon as its hook is in the ledger and its dialog on the screen. */
async function onlyRequest(session: SessionInfo): Promise<Approval> {
  const [request, ...twins] = await bothKnown(session)
  expect(twins).toEqual([])
  return request!
}

describe.each(Object.keys(DIALOGS))('%s', name => {
  it.each(Object.keys(ORDERS))('is one request, decided and recorded once, %s', async order => {
    const session = await startDialog(DIALOGS[name]!(), ORDERS[order]!, sizeFor(name, order))
    const request = await onlyRequest(session)
    expect(request).toMatchObject({ kind: 'permission', source: { channel: 'hook' } })
    expect(request.risk.level).not.toBe('low')
    await home.ok(['approve', request.id, '--fingerprint', request.fingerprint])
    await waitFor('the tool to run', () => existsSync(ran()))
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    const times = readFileSync(ran(), 'utf8')
      .split('\n')
      .filter(line => line === 'ran')
    expect(times.length).toBeLessThan(2)
    expect(await standing(session)).toMatchObject([
      { id: request.id, state: 'applied', decision: { actor: { kind: 'person' }, surface: 'cli' } },
    ])
    expect((await recorded(session)).every(({ outcome }) => outcome?.observed === undefined)).toBe(true)
  })
})

describe('a dialog that does not show the whole request', () => {
  it('cannot be allowed by keys, and can be denied', async () => {
    const tool = { ...DIALOGS['a command of 60 lines']!(), input: {} }
    const options = [
      { label: 'Yes, this once', meaning: 'allow-once' },
      { label: 'No', meaning: 'deny' },
    ]
    // The hook never comes, and reports of the tool do not show its command: only the dialog does.
    const session = await startDialog(tool, { hookAfterMs: 3_600_000, options }, '80x24')
    const [request] = await waitFor('the request', async () => {
      const list = await standing(session)
      return list.length === 1 ? list : null
    })
    expect(request).toMatchObject({ risk: { level: 'elevated' }, terminalOnly: expect.stringContaining('a part') })
    const { code, stderr } = await home.run(['approve', request!.id, '--fingerprint', request!.fingerprint])
    expect(code).not.toBe(0)
    expect(stderr).toContain('only the terminal can allow this')
    await home.ok(['deny', request!.id])
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    expect(existsSync(ran())).toBe(false)
    expect(await standing(session)).toMatchObject([{ id: request!.id, state: 'applied' }])
  })
})

it('hidden characters in an option label are made visible', async () => {
  const tool = { name: 'Shell', kind: 'shell', command: 'echo safe\u202e; rm -rf ~/projects' }
  const session = await startDialog(tool, {}, '160x50')
  const request = await onlyRequest(session)
  expect(JSON.stringify([request.request.options, request])).toContain('\u202e')
  const { stdout } = await home.ok(['approvals'])
  expect(stdout).toContain('do not ask again for echo safe⟦U+202E⟧')
  expect(stdout).not.toContain('\u202e')
  const wrong = await home.run(['answer', request.id, 'nothing', '--fingerprint', request.fingerprint])
  expect(wrong.stderr).not.toContain('\u202e')
  await home.ok(['deny', request.id])
})
