import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { errorLines, ROOT, recordedOutput, type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeAll(() => {
  home = new InsideHome()
})
afterEach(() => home.clear())
afterAll(() => home.close())

interface Approval {
  id: string
  state: string
  fingerprint: string
  subject: { session: string }
}

function sampleProject(): string {
  execFileSync(process.execPath, [join(ROOT, 'dist', 'demo-agent', 'main.js'), '--sample-project', home.work])
  return join(home.work, 'src', 'cart.js')
}

describe('a session', () => {
  it('starts, answers, can be read, and stops', async () => {
    const session = await home.json<SessionInfo>([
      'start',
      'demo',
      '--name',
      'mine',
      '--json',
      '--',
      '--scenario',
      'chat',
      '--speed',
      '5',
    ])
    expect(session).toMatchObject({
      agent: 'demo',
      number: 1,
      label: 'mine',
      cwd: home.work,
      size: { cols: 120, rows: 40 },
      owner: 'daemon',
    })
    expect(session.id).toMatch(/^ses_[0-9a-z]{16}$/)

    const idle = await home.json(['wait', session.id, '--for', 'idle', '--timeout', '60', '--json'])
    expect(idle).toMatchObject({
      reached: 'idle',
      session: { id: session.id, state: 'live', phase: 'dormant', idle: true },
    })

    const sent = await home.json(['send', '1', 'show me a table', '--json'])
    expect(sent).toMatchObject({ session: session.id, result: 'delivered' })
    await home.ok(['wait', '1', '--for', 'idle', '--timeout', '60'])
    const [message] = await home.ndjson(['read', '1', '--json'])
    expect(message).toMatchObject({
      session: session.id,
      provisional: false,
      markdown: expect.stringContaining('| yellow |'),
    })

    const lines = (await home.ok(['sessions'])).stdout.trimEnd().split('\n')
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^ +1 +${session.id} +demo +done .*mine$`))])

    const stopped = await home.json<SessionInfo>(['stop', '1', '--json'])
    expect(stopped).toMatchObject({ id: session.id, state: 'ended', exit: { code: 0, signal: null } })
    expect((await home.ok(['sessions'])).stdout).toContain('no running sessions')
    expect(await home.json(['sessions', '--json'])).toEqual([])
    expect(await home.session(session.id)).toMatchObject({ state: 'ended' })
    const { events } = recordedOutput(session.recording)
    expect(events.at(-1)?.slice(1)).toEqual(['x', '0'])
  })

  it('streams an answer with send --wait that equals the later output of read', async () => {
    const session = await home.startDemo(['--scenario', 'chat', '--speed', '20'])
    let all = ''
    for (const prompt of ['hello you', 'some code please', 'a table', 'unicode']) {
      const { stdout } = await home.ok(['send', session.id, prompt, '--wait', '--timeout', '60'])
      expect(stdout).toBe((await home.ok(['read', session.id, '--turn', '-1'])).stdout)
      all += all === '' ? stdout : `\n${stdout}`
    }
    expect((await home.ok(['read', session.id])).stdout).toBe(all)
    expect(all).toContain('漢字')
    const events = await home.ndjson<{ event: string }>([
      'send',
      session.id,
      'hello again',
      '--wait',
      '--json',
      '--timeout',
      '60',
    ])
    // At this speed the whole answer may be in one frame, so there may be no update before its end.
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['hello', 'turn.opened', 'message.final', 'turn.closed']),
    )
  })

  it('accepts a prompt of several lines from standard input, and one that starts with a dash', async () => {
    const session = await home.startDemo(['--scenario', 'chat'])
    await home.ok(['send', session.id, '-', '--wait', '--timeout', '60'], { input: 'first line\nsecond line\n' })
    await home.ok(['send', session.id, '--wait', '--timeout', '60', '--', '--wait for me'])
    const screen = (await home.ok(['read', session.id, '--screen'])).stdout
    expect(screen).toMatch(/first line\n.*second line/)
    expect(screen).toContain('--wait for me')
  })

  it('is found by number, by id and by a unique prefix of the id, not by a shorter one', async () => {
    const first = await home.startDemo(['--scenario', 'chat'])
    const second = await home.startProgram('sleep', '600')
    const [one, two] = [String(first.number), String(first.number + 1)]
    expect(String(second.number)).toBe(two)
    const prefix = first.id.slice(0, 10)
    for (const word of [one, first.id, prefix, prefix.slice('ses_'.length)]) {
      if (/^\d+$/.test(word) && word !== one) continue
      expect((await home.ok(['wait', word, '--for', 'idle', '--timeout', '60'])).stdout, word).toContain(first.id)
    }
    const ambiguous = await home.run(['stop', 'ses_'])
    expect(ambiguous.code).toBe(2)
    expect(errorLines(ambiguous.stderr)).toEqual([expect.stringMatching(new RegExp(`"ses_" matches .*${first.id}`))])
    for (const word of ['471100', 'ses_zzzzz', 'nobody']) {
      const unknown = await home.run(['read', word])
      expect(unknown.code).toBe(2)
      expect(errorLines(unknown.stderr)).toEqual([expect.stringContaining(`unknown session "${word}"`)])
    }
    await home.ok(['stop', two])
    // The number of a session that has just ended still means that session.
    const third = await home.startProgram('sleep', '600')
    expect(third.number).toBe(first.number + 2)
    expect((await home.run(['read', two, '--screen'])).stderr).toContain(second.id)
  })

  it('gets another number than sessions that start at the same time', async () => {
    const started = await Promise.all(Array.from({ length: 5 }, () => home.startProgram('sleep', '600')))
    expect(new Set(started.map(({ number }) => number)).size).toBe(5)
  })

  it('wait ends with the state it waits for, or with exit code 5 after its timeout', async () => {
    const session = await home.startProgram('sh', '-c', 'read x; exit 3')
    expect((await home.run(['wait', session.id, '--for', 'done', '--timeout', '0.3'])).code).toBe(5)
    const waiting = home.run(['wait', session.id, '--for', 'done', '--timeout', '60', '--json'])
    await home.ok(['stop', session.id])
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ reached: 'done', session: { state: 'ended' } })
    expect((await home.run(['send', session.id, 'too late'])).stderr).toContain('has ended')
  })

  it('is stopped with its children, even if its program ignores all signals but KILL', async () => {
    const session = await home.startProgram('sh', '-c', 'trap "" TERM HUP INT; sleep 61 & while :; do sleep 62; done')
    await waitFor('both its children, so its trap', () => home.processes().others.length === 3)
    const stopped = await home.json<SessionInfo>(['stop', session.id, '--json'])
    expect(stopped.exit).toEqual({ code: null, signal: 'SIGKILL' })
    await waitFor('its children to be gone', () => home.processes().others.length === 0)
  })

  it('starts in the given directory, relative to the current one', async () => {
    const session = await home.json<SessionInfo>(['start', '--json', '--cwd', 'work', '--', 'sleep', '600'], {
      cwd: home.directory,
    })
    expect(session.cwd).toBe(home.work)
  })
})

describe('an approval', () => {
  it('is shown, allowed once from the command line, and applied', async () => {
    const file = sampleProject()
    const before = readFileSync(file, 'utf8')
    const session = await home.startDemo(['--scenario', 'tour', '--speed', '0'])
    const asked = await home.run(['send', session.id, 'fix it', '--wait', '--timeout', '60'])
    expect([asked.code, asked.stderr]).toEqual([4, expect.stringContaining('needs you')])
    expect((await home.run(['wait', session.id, '--for', 'idle', '--timeout', '60'])).code).toBe(4)
    await home.ok(['wait', session.id, '--for', 'approval', '--timeout', '60'])
    // The pane of a session without a name is named after its first prompt.
    await waitFor('its name', async () =>
      (await home.run(['watch', '--once', '--json'])).stdout.includes('"name":"Fix it"'),
    )
    const [approval] = await home.json<Approval[]>(['approvals', '--json'])
    expect(approval).toMatchObject({ state: 'pending', kind: 'permission', subject: { session: session.id } })
    const status = await home.json<{ approvals: Approval[]; sessions: SessionInfo[] }>(['status', '--json'])
    expect([status.approvals[0]?.id, status.sessions[0]?.id]).toEqual([approval!.id, session.id])

    expect((await home.run(['send', session.id, 'hurry up'])).code).toBe(4)
    const blind = await home.run(['approve', approval!.id])
    expect([blind.code, errorLines(blind.stderr).length]).toEqual([4, 1])
    const wrong = await home.run(['approve', approval!.id, '--fingerprint', '0123456789abcdef'])
    expect(wrong.stderr).toContain('has changed since it was shown')
    const inside = await home.run(['approve', approval!.id, '--fingerprint', approval!.fingerprint], {
      env: { SIGNALBOX_SESSION: session.id },
    })
    expect([inside.code, inside.stderr]).toEqual([3, expect.stringContaining('cannot decide for itself')])
    expect(readFileSync(file, 'utf8')).toBe(before)

    const allow = ['approve', approval!.id, '--fingerprint', approval!.fingerprint, '--json']
    const results = await Promise.all([home.run(allow), home.run(allow), home.run(allow)])
    expect(results.filter(({ code }) => code === 0)).toHaveLength(1)
    for (const { stderr } of results.filter(({ code }) => code !== 0))
      expect(stderr).toMatch(/this request was already allowed by/)
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    expect(readFileSync(file, 'utf8')).toContain('Math.round((sum * discountPercent) / 100)')
    const all = await home.json<Approval[]>(['approvals', '--all', '--json'])
    expect(all.filter(({ subject }) => subject.session === session.id)).toEqual([
      expect.objectContaining({ id: approval!.id, state: 'applied' }),
    ])
  })

  it('leaves the file unchanged and ends the turn when it is denied from the command line', async () => {
    const file = sampleProject()
    const before = readFileSync(file, 'utf8')
    const session = await home.startDemo(['--scenario', 'tour', '--speed', '0'])
    await home.run(['send', session.id, 'fix it', '--wait', '--timeout', '60'])
    const [approval] = await home.json<Approval[]>(['approvals', '--json'])
    await home.ok(['deny', approval!.id.slice(0, 8), '--note', 'not now'])
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})
