import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseLines, waitFor } from './harness.js'
import { inside } from './inside.js'
import {
  env,
  files,
  git,
  home,
  oneshot,
  resume,
  runFile,
  type Shown,
  scenario,
  show,
  states,
  useOneshotHome,
} from './oneshot-home.js'

useOneshotHome()

describe('a oneshot', () => {
  test('repeats until the auditor is satisfied, and the files show that', async () => {
    const task = 'add a line\n[demo:verdict RETRY,DONE]'
    const args = ['oneshot', task, '--agent', 'demo', '--logs-dir', 'logs', '--session-log', 'log.md']
    const done = await home.run(args, { env: env() })
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('done · 2 iterations')])
    expect(readFileSync(join(home.work, 'DEMO.md'), 'utf8')).toBe('- add a line\n- add a line\n')
    const shown = await show()
    const { state, log } = files(shown.id)
    expect(state).toMatchObject({ oneshot_id: shown.id, state: 'COMPLETED', iteration_count: 2, max_iterations: 5 })
    expect(Object.keys(state)).toEqual([
      'oneshot_id',
      'state',
      'iteration_count',
      'max_iterations',
      'created_at',
      'updated_at',
      'history',
    ])
    expect(log.filter(({ type }) => type === 'state_change').map(({ to }) => to)).toEqual(states(shown).slice(1))
    for (const name of ['oneshot.json', 'oneshot-log.json'])
      expect(readFileSync(join(home.work, 'logs', name), 'utf8')).toBe(readFileSync(runFile(shown.id, name), 'utf8'))
    expect(readFileSync(join(home.work, 'log.md'), 'utf8')).toContain('**RETRY**')
    expect((await inside(home, ['export', 'latest', '--format', 'oneshot', '-o', 'out'])).code).toBe(0)
    expect(JSON.parse(readFileSync(join(home.work, 'out', 'oneshot.json'), 'utf8'))).toEqual(state)
    expect(parseLines(readFileSync(join(home.work, 'out', 'oneshot-log.json'), 'utf8'))).toEqual(log)
    const logs = await inside(home, ['logs', 'latest', 'worker@2#1'])
    expect(logs.stdout).toContain('DEMO.md')
    expect(logs.stdout).not.toContain('auditor')
  })

  test('resume refuses a flag that has no effect on a resumed run', async () => {
    const refused = await resume('--agent', 'demo', '--inactivity-threshold', '2s')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--agent, --inactivity-threshold')])
  })

  test('discards the verdict of an auditor that changes files; git restores them, else they are named', async () => {
    const write = { tool: { name: 'Bash', kind: 'shell', command: ['sh', '-c', '[ -e bad ] || echo bad > bad'] } }
    const auditor = [write, { say: '{"verdict": "DONE"}' }]
    const args = ['--auditor-permissions', 'all']
    const restored = await oneshot('do it', args, scenario({ auditor }))
    expect([restored.code, restored.stdout]).toEqual([
      1,
      expect.stringContaining('no verdict: the auditor changed files; they were restored'),
    ])
    expect(existsSync(join(home.work, 'bad'))).toBe(false)
    rmSync(join(home.work, '.git'), { recursive: true })
    const named = await oneshot('do it', args, scenario({ auditor }))
    expect(named.stdout).toContain('no verdict: the auditor changed bad; without a git repository nothing was restored')
  })

  test('an impossible or completed run cannot be resumed', async () => {
    expect((await oneshot('x\n[demo:verdict IMPOSSIBLE]')).code).toBe(3)
    const again = await resume()
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('The task contradicts itself')])
    expect((await oneshot('y')).code).toBe(0)
    expect((await resume()).code).toBe(2)
  })

  test('resume exits with 6 if the directory is missing or HEAD has moved', async () => {
    expect((await oneshot('x\n[demo:verdict RETRY]', ['--max-iterations', '1'])).code).toBe(1)
    const refused = await resume()
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--max-iterations 2')])
    const base = git('rev-parse', 'HEAD').trim()
    git('checkout', '-q', '--orphan', 'other')
    git('commit', '-q', '--allow-empty', '-m', 'unrelated')
    const moved = await resume('--max-iterations', '2')
    expect([moved.code, moved.stderr]).toEqual([6, expect.stringContaining(base.slice(0, 12))])
    const { id } = await show()
    rmSync(home.work, { recursive: true })
    const gone = await inside(home, ['oneshot', '--resume', id], { env: env(), cwd: home.directory })
    expect([gone.code, gone.stderr]).toEqual([6, expect.stringContaining('is gone')])
    mkdirSync(home.work)
  })

  test('is paused by its budget and resumed with a higher one', async () => {
    const stopped = await oneshot('x\n[demo:verdict RETRY,DONE]', ['--max-tokens', '600'])
    expect(stopped.code).toBe(5)
    expect((await show()).oneshot.history.at(-1)).toMatchObject({ state: 'INTERRUPTED', reason: 'budget' })
    const resumed = await resume('--max-tokens', '1000000')
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('done · ')])
  })

  test('the answer to the gate of a budget raises it or cancels the run', async () => {
    for (const [option, resumedTo] of [
      ['raise', 'COMPLETED'],
      ['cancel', null],
    ] as const) {
      expect((await oneshot(`${option}\n[demo:verdict RETRY,DONE]`, ['--max-tokens', '600'])).code).toBe(5)
      const { gates } = (await show()) as Shown & { gates: Record<string, string> }
      const [approval] = Object.values(gates)
      const answered = await inside(home, ['answer', approval!, option])
      expect([answered.code, answered.stderr]).toEqual([0, expect.any(String)])
      const late = await inside(home, ['answer', approval!, option])
      expect(late.code).not.toBe(0)
      const resumed = await resume()
      if (resumedTo) expect([resumed.code, (await show()).oneshot.state]).toEqual([0, resumedTo])
      else expect([resumed.code, (await show()).status]).toEqual([2, 'cancelled'])
    }
  })

  test('leaves the directory unchanged if it has a separate worktree', async () => {
    expect((await oneshot('x', ['--branch', 'mine'])).code).toBe(0)
    expect(existsSync(join(home.work, 'DEMO.md'))).toBe(false)
    expect(git('branch', '--list', 'mine')).toContain('mine')
  })

  test('the daemon drives a detached run and writes its files; another command can follow it', async () => {
    const { run } = await home.json<{ run: string }>(['oneshot', 'x', '--agent', 'demo', '--detach', '--json'], {
      env: env(),
    })
    const followed = await home.run(['oneshot', '--follow', run])
    expect([followed.code, followed.stdout]).toEqual([0, expect.stringContaining('done · ')])
    await waitFor('the files', () => files(run).state.state === 'COMPLETED')
  })

  test('the request of a worker is in the ledger, and the worker continues with the answer', async () => {
    const child = home.start(['oneshot', 'x', '--agent', 'demo', '--permissions', 'ask'], { env: env() })
    const finished = home.finish(child)
    const [asked] = await waitFor('a request', async () => {
      const list = await home.json<{ id: string; fingerprint: string }[]>(['approvals', '--json'])
      return list.length > 0 ? list : null
    })
    await home.ok(['approve', asked!.id, '--fingerprint', asked!.fingerprint])
    const done = await finished
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(`signalbox approve ${asked!.id}`)])
    expect(readFileSync(join(home.work, 'DEMO.md'), 'utf8')).toBe('- x\n')
  })

  test('runs both roles with a model at an endpoint', async () => {
    const answers = ['I did what I could.', '{"verdict":"DONE","feedback":"fine","findings":[]}']
    const seen: Record<string, unknown>[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        seen.push({ ...JSON.parse(body), key: request.headers.authorization })
        const chunk = (value: object) => response.write(`data: ${JSON.stringify({ id: 'c', ...value })}\n\n`)
        const text = answers[seen.length - 1]!
        for (const piece of [text.slice(0, 5), text.slice(5)]) chunk({ choices: [{ delta: { content: piece } }] })
        chunk({ choices: [{ delta: {}, finish_reason: 'stop' }] })
        chunk({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } })
        response.end('data: [DONE]\n\n')
      })
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    try {
      const args = [
        'oneshot',
        'x',
        '--agent',
        'direct',
        '--endpoint',
        endpoint,
        '--model',
        'm',
        '--api-key-env',
        'MY_KEY',
      ]
      const done = await inside(home, args, { env: { ...env(), MY_KEY: 'secret-value-123456' } })
      expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('done · ')])
      expect(seen).toMatchObject([
        { model: 'm', stream: true, key: 'Bearer secret-value-123456' },
        { response_format: {} },
      ])
      // The answer is stored as one text, not character by character.
      const { log } = files((await show()).id)
      const texts = log.map(({ data }) => data as { type?: string; text?: string; delta?: boolean } | undefined)
      expect(texts.filter(data => data?.type === 'text' && data.delta === false).map(data => data!.text)).toEqual(
        answers,
      )
    } finally {
      server.close()
    }
  })
})
