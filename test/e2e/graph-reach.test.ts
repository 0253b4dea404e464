import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

  test('are not even loaded before the person trusts the module and its imports', async () => {
    home.write('mine.mjs', `import { writeFileSync } from 'node:fs'; writeFileSync('loaded', ''); ${MODULE}`)
    for (const command of [['run'], ['run', '--dry-run'], ['validate']]) {
      const refused = await home.run([command[0]!, 'flow.dot', ...command.slice(1), '--handlers', 'mine.mjs'])
      expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('mine.mjs, word.mjs')])
    }
    expect(existsSync(join(home.work, 'loaded'))).toBe(false)
    const { hash } = await executableModule(join(home.work, 'mine.mjs'))
    await home.ok(['validate', 'flow.dot', '--handlers', 'mine.mjs', '--trust', hash])
  })

  test('that changed since are not loaded by resume', async () => {
    home.graph(`c [type=code, fn=greet]; ${GATE.replace('start -> g', 'start -> c -> g')}`)
    const ran = await home.runGraph(['flow.dot', '--handlers', 'mine.mjs'])
    expect(ran.code).toBe(4)
    await home.ok(['answer', String(ran.of('gate.opened')[0]!.approval), 'Y'])
    home.write('word.mjs', 'export const word = "other"')
    const refused = await home.run(['resume', ran.id])
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('word.mjs changed')])
  })

  test('that do not exist are an error of the graph', async () => {
    home.graph('c [type=code, fn=other]; start -> c -> exit')
    const refused = await home.runGraph(['flow.dot', '--handlers', 'mine.mjs'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('unknown function "other"')])
  })
})

describe('answers to gates', () => {
  test('come from a file, and the export of a run is such a file', async () => {
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
  ])('that a file lacks leave the gate open: %s', async (text, message) => {
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
  test('with a timeout and a default waits, and then takes the default of the author', async () => {
    home.graph(GATE.replace('label="Ship?"', 'label="Ship?", human.timeout=200ms, human.default_choice=No'))
    const ran = await home.runGraph(['flow.dot'])
    expect([ran.code, ran.status, ran.path]).toEqual([0, 'completed', ['start', 'g', 'exit']])
    expect(ran.of('gate.opened')[0]).toMatchObject({ fallback: '[N] No' })
  })

  test('with a timeout but without a default exits with 4', async () => {
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
  expect([code, screen]).toEqual([4, expect.stringMatching(/signalbox answer apr_/)])
})

test('checkpoint files are written after each node, while the run goes on', async () => {
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
