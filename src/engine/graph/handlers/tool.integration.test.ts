import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSegment } from '../../../activity/index.js'
import { systemClock } from '../../../clock/index.js'
import { isAlive } from '../../../process/index.js'
import { createRedactor } from '../../../text/index.js'
import { StepOutput } from '../../step-output.js'
import type { NodeOutcome } from '../graph-run.js'
import { stepCall } from '../testing/step-call.js'
import { ToolSteps } from './tool.js'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-tool-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const tools = () =>
  new ToolSteps({
    clock: systemClock,
    environment: () => ({ PATH: process.env.PATH ?? '' }),
    stepDirectory: () => join(directory, 'step'),
  })

async function run(attributes: string, context: Record<string, unknown> = {}): Promise<NodeOutcome> {
  const call = stepCall(directory, `a [shape=parallelogram, ${attributes}]; start -> a -> exit`, { context })
  return (await tools().run(call)).result as NodeOutcome
}

describe('a tool node', () => {
  test('succeeds with exit code 0, and its output is in the context', async () => {
    expect(await run('tool_command="echo out; echo err >&2"')).toMatchObject({
      status: 'success',
      context_updates: { 'tool.output': 'out\n', 'tool.stderr': 'err\n', 'tool.exit_code': 0 },
    })
  })

  test('writes what it prints to the log of the run, line by line', async () => {
    const path = join(directory, 'activity', 'a@1#1.ndjson')
    const redactor = createRedactor({ secretValues: [{ name: 'KEY', value: 'hunter22hunter22' }] })
    const steps = new ToolSteps({
      clock: systemClock,
      environment: () => ({ PATH: process.env.PATH ?? '' }),
      stepDirectory: () => join(directory, 'step'),
      output: call => new StepOutput(call, { path, clock: systemClock, redactor }),
    })
    const command = 'printf "one\\n10%%\\r99%%\\ntwo"; echo hunter22hunter22 >&2'
    await steps.run(
      stepCall(directory, `a [shape=parallelogram, tool_command=${JSON.stringify(command)}]; start -> a -> exit`),
    )
    const logged: string[] = []
    for await (const activity of readSegment(path)) if (activity.type === 'raw') logged.push(activity.text)
    expect(logged.filter(text => !text.includes('secret:')).sort()).toEqual(['99%', 'one', 'two'])
    expect(logged.join()).not.toContain('hunter22')
  })

  test('fails with any other exit code, and quotes the end of its output', async () => {
    expect(await run('tool_command="echo no such thing >&2; exit 4"')).toMatchObject({
      status: 'fail',
      failure_class: 'unknown',
      failure_reason: 'the command exited with code 4: no such thing',
      context_updates: { 'tool.exit_code': 4 },
    })
  })

  test('is killed with all its descendants after its timeout', async () => {
    // A busy machine gets a longer timeout: the command must have started its descendant by then.
    let descendant = 0
    for (let ms = 200; descendant === 0; ms *= 4) {
      const outcome = await run(`tool_command="sleep 300 & echo $!; sleep 300", timeout=${ms}ms`)
      expect(outcome).toMatchObject({ status: 'fail', failure_class: 'timeout' })
      descendant = Number(outcome.context_updates!['tool.output'])
    }
    await expect.poll(() => isAlive(descendant)).toBe(false)
  })

  test('fails permanently without a command', async () => {
    expect(await run('label=x')).toMatchObject({ status: 'fail', failure_class: 'structural' })
  })

  test('gets the context as variables and as JSON, without interpolation into its text', async () => {
    const outcome = await run(
      'tool_command="cat; printf %s \\"$SIGNALBOX_CTX_WORK_NAME\\"; echo $MORE {work.name}", tool_env="MORE=two words"',
      {
        'work.name': '$(touch gotcha); "x"',
      },
    )
    const output = String(outcome.context_updates!['tool.output'])
    expect(JSON.parse(output.slice(0, output.indexOf('}') + 1))).toMatchObject({ 'work.name': '$(touch gotcha); "x"' })
    expect(output).toContain('$(touch gotcha); "x"two words {work.name}')
    expect(() => readFileSync(join(directory, 'gotcha'))).toThrow()
  })

  test('keeps only the end of its output', async () => {
    const outcome = await run('tool_command="yes | head -c 300000; echo the end"')
    const output = String(outcome.context_updates!['tool.output'])
    expect([output.length, output.endsWith('the end\n')]).toEqual([64 * 1024, true])
  })

  test.each([
    ['always', { verdict: 'nothing' }],
    ['never', { verdict: 'success', result: { status: 'fail', failure_reason: 'interrupted command' } }],
    [
      'ask',
      { verdict: 'success', result: { question: { options: [{ key: 'again' }, { key: 'done' }, { key: 'fail' }] } } },
    ],
  ])('recovers a step whose end was not observed by rerun=%s', async (rerun, expected) => {
    const call = stepCall(directory, `a [shape=parallelogram, tool_command=x, rerun=${rerun}]; start -> a -> exit`)
    expect(await tools().recover(call)).toMatchObject(expected)
  })
})
