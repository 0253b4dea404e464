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

/** Each dialog asks for something that leaves a line in the file, and is too much for the screen. */
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

describe.each(Object.keys(DIALOGS))('%s', name => {
  const cases = Object.keys(ORDERS).flatMap(order => SIZES.map(size => ({ order, size })))

  it.each(cases)('is one request, decided and recorded once, $order, on $size', async ({ order, size }) => {
    const session = await startDialog(DIALOGS[name]!(), ORDERS[order]!, size)
    await bothKnown(session)
    const [request, ...twins] = await standing(session)
    console.log(
      JSON.stringify(
        (await recorded(session)).map(r => ({
          id: r.id,
          k: r.kind,
          t: r.request.tool,
          s: r.state,
          risk: r.risk.level,
          src: r.source.channel,
          j: r.joined?.map(j => j.channel),
          o: r.outcome,
          text: r.request.text?.slice(0, 60),
          opt: r.request.options.map(o => `${o.meaning}|${o.label.slice(0, 30)}`),
        })),
        null,
        1,
      ),
    )
    expect(twins).toEqual([])
    expect(request).toMatchObject({ kind: 'permission', source: { channel: 'hook' } })
    expect(['elevated', 'high']).toContain(request!.risk.level)
    await home.ok(['approve', request!.id, '--fingerprint', request!.fingerprint])
    await waitFor('the tool to run', () => existsSync(ran()))
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    expect(
      readFileSync(ran(), 'utf8')
        .split('\n')
        .filter(line => line === 'ran').length,
    ).toBeLessThan(2)
    const records = await recorded(session)
    expect(records.filter(({ outcome }) => outcome?.followedBy === undefined)).toMatchObject([
      { id: request!.id, state: 'applied', decision: { actor: { kind: 'person' }, surface: 'cli' } },
    ])
    expect(records.every(({ outcome }) => outcome?.observed === undefined)).toBe(true)
  })
})
