import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { errorLines, isRunning, ROOT, recordedOutput, type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeAll(() => {
  home = new InsideHome()
})
afterEach(() => home.clear())
afterAll(() => home.close())

/** Kills the daemon each time the recording contains the next of these texts. */
async function killDaemonAt(session: SessionInfo, texts: readonly string[], afterKill: () => Promise<void>) {
  for (const text of texts) {
    await waitFor(`"${text}" to be recorded`, () => recordedOutput(session.recording).output.includes(text))
    await home.kill(home.daemon)
    await afterKill()
  }
}

/** About four seconds of numbered list items. */
function writeNumbersScenario(): string {
  const file = join(home.work, 'numbers.json')
  const items = Array.from({ length: 60 }, (_, index) => `- item ${String(index).padStart(3, '0')} of the list`)
  const steps = [
    { think: { ms: 300 } },
    { say: { markdown: `Counting:\n\n${items.join('\n')}`, chunk: 12, delayMs: 25 } },
    { say: { markdown: 'All counted.' } },
  ]
  writeFileSync(file, JSON.stringify({ name: 'numbers', turns: [], otherwise: { steps } }))
  return file
}

describe('a daemon that reads later than the program prints', () => {
  it('continues from the recording without gaps and records the exit', async () => {
    // More than the keeper holds for a daemon that does not read.
    const count = 600_000
    const session = await home.startProgram('sh', '-c', `read x; seq 1 ${count}; exit 4`)
    const other = await home.startDemo(['--scenario', 'chat'])
    const keys = (id: string, text: string) =>
      execFileSync('curl', [
        '-s',
        '--unix-socket',
        home.path('run', 'signalbox.sock'),
        '-H',
        'content-type: application/json',
        '-d',
        JSON.stringify({ text }),
        `http://x/api/v1/sessions/${id}/keys`,
      ])
    keys(session.id, '\r')
    process.kill(home.daemon, 'SIGSTOP')
    await waitFor(
      'all output to be recorded',
      () => statSync(session.recording).size > 4_500_000 && !isRunning(session.pid),
    )
    process.kill(home.daemon, 'SIGCONT')
    const { stdout } = await home.ok(['wait', session.id, '--for', 'done', '--timeout', '60', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ reached: 'done', session: { state: 'ended', exit: { code: 4 } } })
    expect(recordedOutput(session.recording).output.split('\r\n').slice(-2)).toEqual([String(count), ''])
    expect((await home.ok(['send', other.id, 'hello', '--wait', '--timeout', '60'])).stdout).toContain('scripted')
  })
})

describe('kill -9 of the daemon', () => {
  it('keeps the session during an answer, without gap or duplicate in recording and conversation', async () => {
    const scenario = writeNumbersScenario()
    const calm = await home.startDemo(['--scenario', scenario])
    await home.ok(['send', calm.id, 'count', '--wait', '--timeout', '60'])
    const expected = (await home.ok(['read', calm.id])).stdout
    expect(expected).toContain('item 059')
    await home.ok(['stop', calm.id])

    const session = await home.json<SessionInfo>([
      'start',
      'demo',
      '--json',
      '--',
      '--scenario',
      scenario,
      '--speed',
      '1',
    ])
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    await home.ok(['send', session.id, 'count'])
    await killDaemonAt(session, ['Counting', 'item 007', 'item 031'], async () => {
      const [found] = await home.json<SessionInfo[]>(['sessions', '--json'])
      expect(found).toMatchObject({ id: session.id, pid: session.pid, state: 'live' })
    })
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    expect((await home.ok(['read', session.id])).stdout).toBe(expected)
    const { offset } = await home.session(session.id)
    expect(Buffer.byteLength(recordedOutput(session.recording).output)).toBe(offset)
    expect(home.keeper).toBeGreaterThan(0)
  })

  it('leaves every line of the output in the recording, once and in order', async () => {
    const program =
      'for i in $(seq 1 3000); do echo "line $i"; [ $((i % 100)) = 0 ] && sleep 0.05; done; echo end; read x'
    const session = await home.startProgram('bash', '-c', program)
    await killDaemonAt(
      session,
      ['line 1\r', 'line 500\r', 'line 1700\r'],
      async () => void (await home.ok(['sessions'])),
    )
    await waitFor('the end', async () => (await home.ok(['read', session.id, '--screen'])).stdout.includes('end'))
    const lines = recordedOutput(session.recording).output.split('\r\n')
    expect(lines).toEqual([...Array.from({ length: 3000 }, (_, index) => `line ${index + 1}`), 'end', ''])
    const screen = (await home.ok(['read', session.id, '--screen'])).stdout.trimEnd().split('\n')
    expect(screen.slice(-3)).toEqual(['line 2999', 'line 3000', 'end'])
  })

  it('does not hide the exit code of a program from the next daemon', async () => {
    const program = 'echo last words; while ! [ -e killed ]; do sleep 0.05; done; exit 9'
    const session = await home.startProgram('sh', '-c', program)
    await home.kill(home.daemon)
    writeFileSync(join(home.work, 'killed'), '')
    await waitFor('the program to end', () => !isRunning(session.pid))
    const ended = await waitFor('the daemon to report the end', async () =>
      [await home.session(session.id)].find(({ state }) => state === 'ended' || state === 'lost'),
    )
    expect(ended).toMatchObject({ state: 'ended', exit: { code: 9, signal: null } })
  })

  it('leaves a pending approval that can still be decided and is applied once', async () => {
    execFileSync(process.execPath, [join(ROOT, 'dist', 'demo-agent', 'main.js'), '--sample-project', home.work])
    const session = await home.startDemo(['--scenario', 'tour', '--speed', '0'])
    await home.run(['send', session.id, 'fix it', '--wait', '--timeout', '60'])
    const [before] = await home.json<{ id: string; fingerprint: string }[]>(['approvals', '--json'])
    const said = (await home.ok(['read', session.id])).stdout
    await home.kill(home.daemon)
    const [after, ...more] = await home.json<{ id: string; state: string; fingerprint: string }[]>([
      'approvals',
      '--json',
    ])
    expect(after).toMatchObject({ id: before!.id, state: 'pending', fingerprint: before!.fingerprint })
    expect(more).toEqual([])
    expect((await home.ok(['read', session.id])).stdout).toBe(said)
    await home.ok(['approve', after!.id, '--fingerprint', after!.fingerprint])
    await home.ok(['wait', session.id, '--for', 'idle', '--timeout', '60'])
    expect(readFileSync(join(home.work, 'src', 'cart.js'), 'utf8')).toContain('Math.round')
    const all = await home.json<{ subject: { session: string } }[]>(['approvals', '--all', '--json'])
    expect(all.filter(({ subject }) => subject.session === session.id)).toEqual([
      expect.objectContaining({ id: before!.id, state: 'applied' }),
    ])
    const answer = (await home.ok(['read', session.id])).stdout
    expect(answer.startsWith(said.trimEnd())).toBe(true)
    expect(answer.split('The discount is a percentage now').length - 1).toBe(1)
  })
})

describe('kill -9 of the keeper', () => {
  it('ends its sessions, which is reported, and the next start works', async () => {
    const session = await home.startDemo(['--scenario', 'chat'])
    const [daemon, keeper] = [home.daemon, home.keeper]
    await home.kill(keeper)
    await waitFor('the daemon to exit', () => !isRunning(daemon))
    await waitFor('the agent to end', () => !isRunning(session.pid))
    expect(await home.session(session.id)).toMatchObject({
      state: 'lost',
      endReason: expect.stringContaining('terminal is gone'),
    })
    const late = await home.run(['send', session.id, 'hello?'])
    expect(late.code).toBe(1)
    expect(errorLines(late.stderr)).toEqual([expect.stringContaining('is lost: its terminal is gone')])
    const next = await home.startDemo(['--scenario', 'chat'])
    expect(next.number).toBe(session.number + 1)
    expect((await home.ok(['send', next.id, 'hello', '--wait', '--timeout', '60'])).stdout).toContain('scripted')
  })

  it('ends its sessions also when the daemon is killed at the same time', async () => {
    const session = await home.startProgram('sleep', '600')
    const both = [home.keeper, home.daemon]
    await Promise.all(both.map(pid => home.kill(pid)))
    expect(await home.session(session.id)).toMatchObject({ state: 'lost' })
  })
})
