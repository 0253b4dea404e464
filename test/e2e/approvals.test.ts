import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { executableFiles } from '../../src/trust/index.js'
import { waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let shared: InsideHome
/** The shared home, or one for this test only. */
let home: InsideHome
/** Sessions of this test; the ledger also has those of other tests. */
let started: string[]
beforeAll(() => {
  shared = new InsideHome()
})
beforeEach(() => {
  home = shared
  started = []
})
afterEach(() => (home === shared ? home.clear() : home.close()))
afterAll(() => shared.close())

function homeWith(settings: string): InsideHome {
  const made = new InsideHome()
  mkdirSync(made.path('config'), { recursive: true })
  writeFileSync(made.path('config', 'config.toml'), settings)
  return made
}

interface Approval {
  id: string
  state: string
  fingerprint: string
  joined?: unknown[]
  subject: { session: string }
  risk: { level: string; reasons: string[] }
  request: { tool: string; options: { label: string; meaning: string }[] }
  decision?: { actor: { kind: string; name: string }; grantId?: string; note?: string; option: string }
}

const shell = (command: string) => ({
  tool: { name: 'Shell', kind: 'shell', command, permission: true, onDeny: 'continue' },
})

/** A demo agent that asks for permission for each of these steps after its first prompt. */
async function agentThatAsks(...steps: object[]): Promise<string> {
  return agentAtSpeed('0', ...steps)
}

async function agentAtSpeed(speed: string, ...steps: object[]): Promise<string> {
  const file = join(home.work, 'asks.json')
  writeFileSync(
    file,
    JSON.stringify({ name: 'asks', turns: [], otherwise: { steps: [...steps, { say: { markdown: 'All done.' } }] } }),
  )
  const session = await home.startDemo(['--scenario', file, '--speed', speed])
  started.push(session.id)
  await home.run(['send', session.id, 'go', '--wait', '--timeout', '60'])
  return session.id
}

async function pending(): Promise<Approval> {
  return waitFor('a pending request', async () =>
    (await home.json<Approval[]>(['approvals', '--json'])).find(({ state }) => state === 'pending'),
  )
}
const all = async () =>
  (await home.json<Approval[]>(['approvals', '--all', '--json'])).filter(({ subject }) =>
    started.includes(subject.session),
  )

describe('a grant', () => {
  it('is created with a decision, decides only covered requests, and can be paused and revoked', async () => {
    home = homeWith('')
    const session = await agentThatAsks(
      shell('echo one'),
      shell('echo two'),
      shell('echo three > out.txt'),
      shell('echo four'),
    )
    const first = await pending()
    expect(first.risk.level).toBe('low')
    const made = await home.ok([
      'approve',
      first.id,
      '--fingerprint',
      first.fingerprint,
      '--for',
      '10m',
      '--scope',
      'session',
      '--prefix',
      'echo',
    ])
    // It may have been applied before the command looked at it for the first time.
    expect(made.stdout).toMatch(/^(?:.*— decided\n)?standing approval grt_\w+: .*\n.*— applied\n$/)

    const third = await pending()
    expect(third.risk).toMatchObject({ level: 'elevated', reasons: ['writes inside the project: out.txt'] })
    expect(existsSync(join(home.work, 'out.txt'))).toBe(false)
    const second = (await all()).find(({ decision }) => decision?.grantId !== undefined)
    expect(second).toMatchObject({ state: 'applied', decision: { actor: { kind: 'grant' } } })
    const { items } = await home.json<{ items: { id: string; uses: number }[] }>(['grants', '--json'])
    expect(items).toMatchObject([{ id: second!.decision!.grantId, uses: 1 }])

    await home.ok(['grants', 'pause'])
    await home.ok(['deny', third.id, '--note', 'not here'])
    const fourth = await pending()
    expect(fourth.id).not.toBe(third.id)
    await home.ok(['grants', 'resume'])
    expect((await home.ok(['grants', 'revoke', items[0]!.id.slice(0, 8)])).stdout).toContain('ended (revoked)')
    expect((await home.ok(['grants'])).stdout).toContain('no standing approvals')
    await home.ok(['approve', fourth.id, '--fingerprint', fourth.fingerprint])
    await home.ok(['wait', session, '--for', 'idle', '--timeout', '60'])
    expect(existsSync(join(home.work, 'out.txt'))).toBe(false)

    const history = await home.ok(['approvals', '--history'])
    expect(history.stdout).toMatch(/4 requests: 3 allowed, 1 denied/)
    expect(history.stdout).toMatch(
      /denied {2}Demo wants to run a command · \$ .*: Denied by \S+ \(Command line\) after .*“not here”/,
    )
    const listed = async (...filter: string[]) => (await home.ok(['approvals', '--history', ...filter])).stdout
    expect(await listed('--session', '1', '--decision', 'denied')).toMatch(/1 request: 1 denied/)
    expect(await listed('--project', home.work, '--search', 'not here')).toMatch(/1 request: 1 denied/)
    expect(await listed('--project', 'another')).toBe('no requests\n')
    expect((await listed('--limit', '1')).match(/^\S+ +apr_/gm)).toHaveLength(1)
    const csv = (await home.ok(['approvals', '--history', '--csv'])).stdout.trim().split('\n')
    expect(csv).toHaveLength(5)
    const doctor = await home.json<{ check: string; level: string; message: string }[]>(['doctor', '--json'])
    expect(doctor.find(({ check }) => check === 'ledger')).toMatchObject({ level: 'ok' })
    expect(doctor.find(({ check }) => check === 'event loop')!.message).toMatch(
      /^longest block in five minutes \d+ ms; longest slice of a session \d+ ms \(ses_/,
    )
  })

  it('is refused for a high-risk request, and nothing is decided', async () => {
    await agentThatAsks(shell('rm -rf build'))
    const asked = await pending()
    expect(asked.risk.level).toBe('high')
    const refused = await home.run(['approve', asked.id, '--fingerprint', asked.fingerprint, '--for', '5m'])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('no standing approval can be made: its risk is high'),
    ])
    expect((await pending()).id).toBe(asked.id)
  })
})

describe('an option named on the command line', () => {
  it('is found by a unique prefix; an ambiguous prefix or one of another meaning is refused', async () => {
    await agentThatAsks(shell('echo one'))
    // Joined from menu and hook: a request that only one of them reported may still be replaced.
    const asked = await waitFor('the joined request', async () => {
      const found = await pending()
      return found.joined ? found : null
    })
    const given = ['approve', asked.id, '--fingerprint', asked.fingerprint]
    const labelOf = (meaning: string) => asked.request.options.find(option => option.meaning === meaning)!.label
    const denied = await home.run(['deny', asked.id, '--option', labelOf('allow-once')])
    expect(denied.stderr).toContain('deny cannot choose it')
    expect((await home.run([...given, '--option', labelOf('deny')])).stderr).toContain('approve cannot choose it')
    const vague = await home.run([...given, '--option', 'yes'])
    expect(vague.stderr).toContain('"yes" matches several options: Yes, this once · Yes, and do not ask again')
    const decided = await home.ok([...given, '--option', 'yes, this', '--no-wait'])
    expect(decided.stdout.split('\n')[0]).toBe(`${asked.id}: Allowed once — decided`)
    await waitFor('it to be applied', async () => (await all()).find(({ id }) => id === asked.id)?.state === 'applied')
  })
})

describe('decisions', () => {
  it('an agent’s own shell cannot decide, which is recorded; a person can deny all requests', async () => {
    await agentThatAsks(shell('echo one'))
    const asked = await pending()
    for (const command of [
      ['approve', asked.id, '--fingerprint', asked.fingerprint],
      ['deny', asked.id],
      ['answer', asked.id, 'Yes'],
      ['deny', '--all'],
    ]) {
      const inside = await home.run(command, { env: { SIGNALBOX_SESSION: 'ses_x' } })
      expect([inside.code, inside.stderr]).toEqual([3, expect.stringContaining('cannot decide for itself')])
    }
    const step = { env: { SIGNALBOX_STEP: 'run_x/work@1' } }
    const inStep = await home.run(['approve', asked.id, '--fingerprint', asked.fingerprint], step)
    expect([inStep.code, inStep.stderr]).toEqual([3, expect.stringContaining('cannot decide for itself')])
    expect((await pending()).id).toBe(asked.id)
    const report = await home.json<{ refused: { code: string; by: string }[] }>(['approvals', '--history', '--json'])
    const roles = report.refused.filter(({ code }) => code === 'E_ROLE')
    expect(roles.map(({ code, by }) => [code, by])).toEqual([
      ...Array(3).fill(['E_ROLE', 'inside ses_x']),
      ['E_ROLE', 'inside run_x/work@1'],
    ])
    // A person denies every pending request.
    expect((await home.ok(['deny', '--all'])).stdout).toMatch(/^apr_\w+: decided\n$/)
    await waitFor('it to be applied', async () => (await all()).every(({ state }) => state === 'applied'))
  })

  it('a high risk needs step-up if set so; an expired request cannot be decided', async () => {
    home = homeWith('approvals.step_up = "on"\napprovals.expire_after = 10\n')
    await agentThatAsks(shell('rm -rf build'), shell('touch made.txt'))
    const high = await pending()
    const refused = await home.run(['approve', high.id, '--fingerprint', high.fingerprint])
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('second confirmation')])
    expect((await home.run(['deny', high.id])).code).toBe(0)
    const asked = await pending()
    const closed = await waitFor('the deadline', async () => (await all()).find(({ state }) => state === 'expired'))
    expect(closed.id).toBe(asked.id)
    const late = await home.run(['approve', asked.id, '--fingerprint', asked.fingerprint])
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('this request has expired')])
    expect(existsSync(join(home.work, 'made.txt'))).toBe(false)
  })
})

describe('a gate of a run', () => {
  const DOT = `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; ask [shape=hexagon, label="Deploy?"]
    start -> ask; ask -> exit [label="[Y] Yes"]; ask -> exit [label="[N] No"] }`

  async function openGate(): Promise<string> {
    const file = join(home.work, 'gate.dot')
    writeFileSync(file, DOT)
    const { hash } = await executableFiles(file, [])
    const { stdout } = await home.run(['run', file, '--trust', hash, '--json'])
    const events = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { type: string; data?: { approval?: string } })
    return events.find(({ type }) => type === 'gate.opened')!.data!.approval!
  }

  it('follows the rules of agent requests: only surfaces in the settings, and not in a lockdown', async () => {
    home = homeWith('approvals.decide_from = ["web"]\n')
    const gates = [await openGate(), await openGate()] as const
    await agentThatAsks(shell('echo one'))
    const asked = (await all())[0]!
    for (const command of [
      ['approve', asked.id, '--fingerprint', asked.fingerprint],
      ['answer', gates[0], 'yes'],
    ]) {
      const refused = await home.run(command)
      expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('approvals.decide_from')])
    }
    expect((await all())[0]).toMatchObject({ id: asked.id, state: 'pending' })
    await home.ok(['serve', '--stop'])
    const stopped = await home.json<{ daemon: boolean; approvals: Approval[] }>(['status', '--json'])
    expect([stopped.daemon, stopped.approvals.map(({ id }) => id)]).toEqual([false, [...gates, asked.id]])
    writeFileSync(home.path('config', 'config.toml'), 'approvals.decide_from = ["cli"]\n')
    // The command starts the next daemon.
    expect((await home.ok(['answer', gates[0], 'yes'])).stdout).toContain('Answered: Yes — applied')

    await home.ok(['serve', '--lockdown'])
    expect((await home.run(['answer', gates[1], 'yes'])).stderr).toContain('locked down')
    await home.ok(['serve', '--stop'])
    expect((await home.ok(['answer', gates[1], 'yes'])).stdout).toContain('Answered: Yes — applied')
  })
})

describe('a question', () => {
  it('is answered by its option', async () => {
    const session = await agentThatAsks({
      ask: { question: 'Tabs or blanks?', options: [{ label: 'Tabs' }, { label: 'Blanks' }] },
    })
    const asked = await pending()
    const answered = await home.ok(['answer', asked.id, 'bl', '--fingerprint', asked.fingerprint])
    expect(answered.stdout).toContain('Answered: Blanks — applied')
    await home.ok(['wait', session, '--for', 'idle', '--timeout', '60'])
    expect((await home.ok(['read', session, '--screen'])).stdout).toContain('Blanks')
  })
})

describe('a form of several questions', () => {
  it('is one request, and is filled in page by page after every question is answered', async () => {
    const session = await agentThatAsks({
      ask: {
        question: 'Two things about the signal',
        pages: [
          { label: 'Colour', question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Green' }] },
          { label: 'Extras', question: 'What else?', multi: true, options: [{ label: 'Bell' }, { label: 'Lamp' }] },
        ],
      },
    })
    const asked = await pending()
    const answer = (...choices: string[]) =>
      home.run(['answer', asked.id, '--fingerprint', asked.fingerprint, ...choices.flatMap(word => ['--choice', word])])
    expect(await answer('Lamp')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"Which colour?" has no answer'),
    })
    expect((await answer('Green', 'Bell', 'Lamp')).stdout).toContain('Answered: Green, Bell, Lamp — applied')
    await home.ok(['wait', session, '--for', 'idle', '--timeout', '60'])
    expect((await all()).map(({ state }) => state)).toEqual(['applied'])
  })
})

describe('a decision without an id', () => {
  it('applies to the pending request if there is exactly one', async () => {
    const none = await home.run(['deny'])
    expect(none.stderr).toContain('no request waits')
    await agentThatAsks(shell('echo one'))
    await pending()
    expect((await home.ok(['deny', '--no-wait'])).stdout).toContain('— decided')
    await waitFor('it to be applied', async () => (await all()).every(({ state }) => state === 'applied'))
  })
})

describe('a request about a file', () => {
  it('warns if another program changed the file since the last request about it', async () => {
    const append = {
      tool: { name: 'Edit', kind: 'edit', append: { path: 'notes.md', text: 'more\n' }, permission: true },
    }
    writeFileSync(join(home.work, 'notes.md'), 'notes\n')
    await agentThatAsks(append, shell('echo between'), append)
    const allow = async (tool: string, meanwhile?: () => void) => {
      const asked = await waitFor(`a request for ${tool}`, async () => {
        const found = await pending()
        return found.request.tool === tool ? found : null
      })
      const shown = (await home.ok(['approvals'])).stdout
      meanwhile?.()
      await home.ok(['approve', asked.id, '--fingerprint', asked.fingerprint])
      return shown
    }
    expect(await allow('Edit')).not.toContain('changed since you last looked')
    // The agent has written the allowed change; now another program writes.
    const later = Date.now() / 1000 + 60
    await allow('Shell', () => utimesSync(join(home.work, 'notes.md'), later, later))
    expect(await allow('Edit')).toMatch(/changed since you last looked: .*notes\.md/)
  })
})

describe('the agent’s own “do not ask again”', () => {
  it('is chosen by its label, and the session list shows what the agent no longer asks for', async () => {
    const session = await agentThatAsks(shell('echo one'), shell('echo one'))
    const { id, fingerprint } = await pending()
    await home.ok(['approve', id, '--option', 'Yes, and do not ask again', '--fingerprint', fingerprint])
    await home.ok(['wait', session, '--for', 'idle', '--timeout', '60'])
    expect(await all()).toHaveLength(1)
    const said = await waitFor(
      'the session to show it',
      async () =>
        (await home.ok(['sessions'])).stdout.match(/Shell allowed in the agent since \d\d:\d\d \(“.*”\)/)?.[0],
    )
    expect(said).toContain('do not ask again')
  })
})

describe('an agent that asks in a loop', () => {
  it('is flagged, and one denial interrupts it', async () => {
    const session = await agentAtSpeed(
      '20',
      ...Array.from({ length: 5 }, () => shell('echo again')),
      { think: { ms: 20 * 60_000 } },
      shell('echo never'),
    )
    for (let round = 1; round < 5; round++) {
      const { id } = await pending()
      expect((await home.ok(['approvals'])).stdout).not.toContain('asks in a loop')
      await home.ok(['deny', id])
    }
    const { id } = await pending()
    expect((await home.ok(['approvals'])).stdout).toContain('asks in a loop: 5 times within 10 minutes')
    expect((await home.ok(['deny', id, '--interrupt'])).stdout).toContain('— applied')
    await home.ok(['wait', session, '--for', 'idle', '--timeout', '60'])
    expect((await home.ok(['read', session, '--screen'])).stdout).toMatch(/interrupted|stopped/i)
    expect((await all()).map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => 'applied'))
  })
})
