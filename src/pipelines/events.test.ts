import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pipelineEvents } from '../events/pipeline-events.js'
import { PipelineBench } from './testing/pipeline-bench.js'
import { APPROVED, plan, rejected, writesPlan } from './testing/scripted-agents.js'

let bench: PipelineBench

beforeAll(async () => {
  bench = await PipelineBench.open()
})
afterAll(() => bench.close())

const say = (value: object) => ({ text: JSON.stringify(value) })

test('11 event types never sent: every type of the list comes from a real run', async () => {
  const bin = join(bench.directory, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'gh'),
    '#!/bin/sh\ncase "$*" in *comments*) echo "{}";; *"issue comment"*) echo https://example/1#c;; esac\n',
  )
  chmodSync(join(bin, 'gh'), 0o755)
  bench.path = `${bin}:${bench.path}`
  const seen = new Set<string>()
  const look = ({ types }: { types: string[] }) => {
    for (const type of types) seen.add(type)
  }
  const activities = [{ type: 'tool_call', callId: '1', tool: 'Bash', kind: 'shell', input: { command: 'rm x' } }]
  bench.script({ reviewer: [{ ...say(APPROVED), activities }], architect: [writesPlan(plan(1))] })
  const id = await bench.create({ tracker: 'github', comment: true })
  await bench.drive(id)
  await bench.answer(id, 'reject', { text: 'no' })
  await bench.answer(id, 'replace', { text: plan(1) })
  look(await bench.answer(id, 'approve'))
  bench.newRepository()
  bench.script({
    architect: [writesPlan(plan(1))],
    developer: [
      ({ cwd }) => {
        rmSync(join(cwd, 'docs'), { recursive: true })
        return {}
      },
    ],
  })
  look(await bench.implement())
  writeFileSync(join(bench.repository, 'a.txt'), 'two\n')
  bench.script({ reviewer: [say(rejected()), say(APPROVED)] })
  look(await bench.review({ autoApprove: true }))
  expect(Object.keys(pipelineEvents).filter(type => !seen.has(type))).toEqual([])
})
