import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { executableModule } from '../../src/trust/index.js'
import { GraphHome } from './graph-home.js'
import { CLI, waitFor } from './harness.js'

let home: GraphHome

beforeEach(() => {
  home = new GraphHome()
})
afterEach(() => home.close())

const GATE =
  'g [shape=hexagon, label="Ship?"]; t [shape=parallelogram, tool_command="true"]; start -> g; g -> t [label="[Y] Yes"]; g -> exit [label="[N] No"]; t -> exit'

describe('functions of the user’s own module', () => {
  const CODE = 'c [type=code, fn=greet]; start -> c; c -> exit [condition="said=hello"]'
  const MODULE = `import { word } from './word.mjs'
    export const functions = { greet: () => ({ outcome: 'success', context_updates: { said: word } }) }`

  beforeEach(() => {
    home.graph(CODE)
    home.write('mine.mjs', MODULE)
    home.write('word.mjs', `globalThis.loadedWord = true; export const word = 'hello'`)
  })

  test('are called by code nodes', async () => {
    const ran = await home.runGraph(['flow.dot', '--handlers', 'mine.mjs'])
    expect([ran.status, ran.stderr]).toEqual(['completed', ''])
  })

  test('are not loaded before the person trusts the module and its imports', async () => {
    const mark = JSON.stringify(join(home.work, 'loaded'))
    home.write('mine.mjs', `import { writeFileSync } from 'node:fs'; writeFileSync(${mark}, ''); ${MODULE}`)
    for (const command of [['run'], ['run', '--dry-run'], ['validate']]) {
      const refused = await home.run([command[0]!, 'flow.dot', ...command.slice(1), '--handlers', 'mine.mjs'])
      expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('mine.mjs, word.mjs')])
    }
    expect(existsSync(join(home.work, 'loaded'))).toBe(false)
    const { hash } = await executableModule(join(home.work, 'mine.mjs'))
    await home.ok(['validate', 'flow.dot', '--handlers', 'mine.mjs', '--trust', hash])
    expect(existsSync(join(home.work, 'loaded'))).toBe(true)
  })

  test('functions that changed since are not loaded by resume', async () => {
    home.graph(`c [type=code, fn=greet]; ${GATE.replace('start -> g', 'start -> c -> g')}`)
    const ran = await home.runGraph(['flow.dot', '--handlers', 'mine.mjs'])
    expect(ran.code).toBe(4)
    await home.ok(['answer', String(ran.of('gate.opened')[0]!.approval), 'Y'])
    home.write('word.mjs', 'export const word = "other"')
    const refused = await home.run(['resume', ran.id])
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('word.mjs changed')])
  })

  test('unknown functions are an error of the graph', async () => {
    home.graph('c [type=code, fn=other]; start -> c -> exit')
    const refused = await home.runGraph(['flow.dot', '--handlers', 'mine.mjs'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('unknown function "other"')])
  })
})

describe('answers to gates', () => {
  test('come from a file, which the export of a run can provide', async () => {
    home.graph(GATE)
    home.write('answers.json', '{"g": ["Yes"]}')
    const ran = await home.runGraph(['flow.dot', '--answers', 'answers.json'])
    expect([ran.status, ran.path.at(-2)]).toEqual(['completed', 't'])
    expect(ran.of('gate.answered')[0]).toMatchObject({ by: expect.stringContaining('(answers.json)') })
    await home.ok(['export', ran.id, '--format', 'attractor', '-o', 'out'])
    const again = await home.runGraph(['flow.dot', '--answers', 'out/answers.json'])
    expect([again.status, again.path]).toEqual(['completed', ran.path])
  })

  test.each([
    ['{}', 'has no answer for the gate "g"'],
    ['["perhaps"]', '"perhaps" is not an answer of the gate "g" ([Y] Yes, [N] No)'],
  ])('leave the gate open if the file has no usable answer: %s', async (text, message) => {
    home.graph(GATE)
    home.write('answers.json', text)
    const ran = await home.runGraph(['flow.dot', '--answers', 'answers.json'])
    expect([ran.code, ran.status, ran.stderr]).toEqual([4, 'waiting', expect.stringContaining(message)])
  })

  test('come from the interviewer of a module', async () => {
    home.graph(GATE)
    home.write(
      'mine.mjs',
      `export const interviewer = { ask: ({ stage, options }) => stage === 'g' ? options[1].key : '' }`,
    )
    const ran = await home.runGraph(['flow.dot', '--handlers', 'mine.mjs'])
    expect([ran.status, ran.path]).toEqual(['completed', ['start', 'g', 'exit']])
  })
})

describe('a gate without a terminal', () => {
  test('waits if it has a timeout and a default, and then takes the default', async () => {
    home.graph(GATE.replace('label="Ship?"', 'label="Ship?", human.timeout=200ms, human.default_choice=No'))
    const ran = await home.runGraph(['flow.dot'])
    expect([ran.code, ran.status, ran.path]).toEqual([0, 'completed', ['start', 'g', 'exit']])
    expect(ran.of('gate.opened')[0]).toMatchObject({ fallback: '[N] No' })
  })

  test('exits with 4 if it has a timeout but no default', async () => {
    home.graph(GATE.replace('label="Ship?"', 'label="Ship?", human.timeout=1h'))
    expect((await home.runGraph(['flow.dot'])).code).toBe(4)
  })
})

test('a gate at a terminal exits with 4 at the end of the input, and stays open', async () => {
  home.graph(GATE)
  const trusted = await home.trust('flow.dot')
  const pty = spawn(process.execPath, [CLI, 'run', 'flow.dot', ...trusted], { cwd: home.work, env: home.env })
  let screen = ''
  let isEnded = false
  pty.onData(data => {
    screen += data
    if (isEnded || !screen.includes(' > ')) return
    isEnded = true
    // ctrl-D at the prompt of the gate.
    pty.write('\u0004')
  })
  const code = await new Promise<number>(resolve => pty.onExit(({ exitCode }) => resolve(exitCode)))
  expect([code, screen]).toEqual([4, expect.stringMatching(/answer with: signalbox answer apr_\w+ <Yes \| No>/)])
})

test('an input that the graph neither declares nor mentions is refused', async () => {
  home.graph(
    'graph [inputs="version"]; t [shape=parallelogram, tool_command="echo $SIGNALBOX_CTX_EXTRA"]; start -> t -> exit',
  )
  const given = ['flow.dot', '--input', 'version=1', '--input', 'extra=2']
  expect((await home.runGraph(given)).status).toBe('completed')
  const refused = await home.runGraph([...given, '--input', 'versoin=3'])
  expect([refused.code, JSON.parse(refused.stderr).error.next]).toEqual([2, 'did you mean "version"?'])
})

test('checkpoint files are written after each node, while the run continues', async () => {
  home.graph(
    'a [shape=parallelogram, tool_command="true"]; b [shape=parallelogram, tool_command="while ! test -e ../go; do sleep 0.05; done"]; start -> a -> b -> exit; graph [worktree=none]',
  )
  const trusted = await home.trust('flow.dot')
  const child = home.start(['run', 'flow.dot', '--checkpoint-dir', 'points', '--json', ...trusted])
  const file = join(home.work, 'points/checkpoint.json')
  await waitFor(
    'the checkpoint after a',
    () => existsSync(file) && readFileSync(file, 'utf8').includes('"next_node": "b"'),
  )
  writeFileSync(join(home.directory, 'go'), '')
  expect((await home.finish(child)).code).toBe(0)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ current_node: 'b', next_node: 'exit' })
  expect(readdirSync(join(home.work, 'points')).filter(name => name.endsWith('.part'))).toEqual([])
})

describe('settings of a turn', () => {
  /** A `claude` that writes down how it was called, and asks its hook before one call of a tool. */
  const FAKE = `#!${process.execPath}
const { spawnSync } = require('node:child_process')
const { writeFileSync } = require('node:fs')
const after = name => process.argv[process.argv.indexOf(name) + 1]
const has = name => process.argv.includes(name)
const hooks = has('--settings') ? JSON.parse(after('--settings')).hooks : {}
const run = (event, input) => hooks[event]
  ? spawnSync('/bin/sh', ['-c', hooks[event][0].hooks[0].command], { input: JSON.stringify(input), encoding: 'utf8' })
  : null
const pre = run('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'rm -rf /' } })
const post = run('PostToolUse', { tool_name: 'Read' })
writeFileSync(process.env.CALLS, JSON.stringify({ args: process.argv.slice(2), tokens: process.env.CLAUDE_CODE_MAX_OUTPUT_TOKENS, pre: pre && [pre.status, pre.stderr], post: post && post.status }))
console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: after('--session-id'), model: 'm' }))
console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'done' }))
`

  async function callOf(dot: string) {
    const bin = join(home.directory, 'bin')
    const calls = join(home.directory, 'calls.json')
    mkdirSync(bin)
    writeFileSync(join(bin, 'claude'), FAKE, { mode: 0o755 })
    home.graph(dot)
    const ran = await home.runGraph(['flow.dot', '--agent', 'claude'], {
      env: { PATH: `${bin}:${process.env.PATH}`, CALLS: calls },
    })
    expect(ran.status, ran.stderr).toBe('completed')
    const call = JSON.parse(readFileSync(calls, 'utf8')) as {
      args: string[]
      tokens?: string
      pre: [number, string] | null
      post: number | null
    }
    return { ran, call, flagOf: (name: string) => call.args[call.args.indexOf(name) + 1] }
  }

  test('are passed to an agent whose program offers them; the linter names those that it does not', async () => {
    const { ran, call, flagOf } = await callOf(
      'a [prompt="Do it", max_turns=3, allowed_tools="Read, Bash(git diff:*)", max_tokens=900, temperature=0.5]; start -> a -> exit',
    )
    expect([flagOf('--max-turns'), flagOf('--tools'), call.tokens]).toEqual(['3', 'Read,Bash', '900'])
    expect(ran.stderr).toContain('temperature of "a" has no effect with the agent "claude"')
    expect(ran.stderr).not.toContain('max_turns')
  })

  test('include tool_hooks before and after each call; a refused call is skipped and recorded', async () => {
    const { ran, call } = await callOf(
      'graph [tool_hooks.pre="grep -q rm && { echo no $SIGNALBOX_TOOL >&2; exit 1; }", tool_hooks.post="exit 3"]; a [prompt="Do it"]; start -> a -> exit',
    )
    expect(call.pre).toEqual([2, expect.stringContaining('no Bash')])
    expect(call.post).toBe(0)
    const notices = ran.of('run.notice').map(({ text }) => text)
    expect(notices).toEqual(['tool_hooks.pre refused Bash: no Bash', 'tool_hooks.post failed after Read: exit code 3'])
  })
})

describe('the agent “direct”', () => {
  let server: Server
  let url: string
  const asked: Record<string, unknown>[] = []

  beforeEach(async () => {
    asked.length = 0
    server = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => {
        body += String(chunk)
      })
      request.on('end', () => {
        asked.push({ ...(JSON.parse(body) as object), key: request.headers.authorization })
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const delta = { choices: [{ delta: { content: 'It is done.' }, finish_reason: 'stop' }] }
        response.end(`data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`)
      })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  })
  afterEach(() => void server.close())

  const DOT = 'a [prompt="Say it", temperature=0.25, max_tokens=50]; start -> a -> exit'

  test('runs nodes at the address of a flag', async () => {
    home.graph(DOT)
    const ran = await home.runGraph(
      ['flow.dot', '--agent', 'direct', '--model', 'small', '--endpoint', url, '--api-key-env', 'KEY'],
      { env: { KEY: 'secret' } },
    )
    expect([ran.status, ran.stderr]).toEqual(['completed', ''])
    expect(asked).toMatchObject([{ model: 'small', temperature: 0.25, max_tokens: 50, key: 'Bearer secret' }])
  })

  test('runs nodes at the address of the settings', async () => {
    home.graph(DOT)
    mkdirSync(home.path('config'), { recursive: true })
    writeFileSync(home.path('config', 'config.toml'), `[oneshot]\nendpoint = "${url}"\n`)
    expect((await home.runGraph(['flow.dot', '--agent', 'direct'])).status).toBe('completed')
  })

  test('plays the roles of a pipeline', async () => {
    home.write('README.md', 'changed\n')
    const ran = await home.run(['review', '--local', '--agent', 'direct', '--endpoint', url, '--json', '--no-ask'])
    expect(asked.length, ran.stderr).toBeGreaterThan(0)
  })

  test.each([
    ['run', 'flow.dot'],
    ['implement', '--title', 'A lamp'],
    ['review', '--local'],
  ])('is refused without an address before anything starts: %s', async (...args) => {
    home.graph(DOT)
    const refused = await home.run([...args, '--agent', 'direct', '--no-ask'])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toMatch(/needs an address[\s\S]*--endpoint/)
    expect(await home.json(['runs', '--json'])).toEqual([])
  })
})
