import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pipelineEvents } from '../events/pipeline-events.js'
import { PipelineFixture } from './testing/pipeline-fixture.js'
import { APPROVED, plan, rejected, writesPlan } from './testing/scripted-agents.js'

let fixture: PipelineFixture

beforeAll(async () => {
  fixture = await PipelineFixture.open()
})
afterAll(() => fixture.close())

const say = (value: object) => ({ text: JSON.stringify(value) })

test('a real run writes every listed event type', async () => {
  const bin = join(fixture.directory, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'gh'),
    '#!/bin/sh\ncase "$*" in *comments*) echo "{}";; *"issue comment"*) echo https://example/1#c;; esac\n',
  )
  chmodSync(join(bin, 'gh'), 0o755)
  fixture.path = `${bin}:${fixture.path}`
  const seen = new Set<string>()
  const look = ({ types }: { types: string[] }) => {
    for (const type of types) seen.add(type)
  }
  const activities = [{ type: 'tool_call', callId: '1', tool: 'Bash', kind: 'shell', input: { command: 'rm x' } }]
  fixture.script({ reviewer: [{ ...say(APPROVED), activities }], architect: [writesPlan(plan(1))] })
  const id = await fixture.create({ tracker: 'github', comment: true })
  await fixture.drive(id)
  await fixture.answer(id, 'reject', { text: 'no' })
  await fixture.answer(id, 'replace', { text: plan(1) })
  look(await fixture.answer(id, 'approve'))
  fixture.newRepository()
  fixture.script({
    architect: [writesPlan(plan(1))],
    developer: [
      ({ cwd }) => {
        rmSync(join(cwd, 'docs'), { recursive: true })
        return {}
      },
    ],
  })
  look(await fixture.implement())
  writeFileSync(join(fixture.repository, 'a.txt'), 'two\n')
  fixture.script({ reviewer: [say(rejected()), say(APPROVED)] })
  look(await fixture.review({ autoApprove: true }))
  // Those of pull requests: pull-request.integration.test.ts.
  const isOfPull = (type: string) => type.startsWith('pull.') || type === 'act.performed'
  expect(Object.keys(pipelineEvents).filter(type => !seen.has(type) && !isOfPull(type))).toEqual([])
})
