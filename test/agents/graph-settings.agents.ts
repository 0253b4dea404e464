import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executableFiles } from '../../src/trust/index.js'
import { parseLines } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import type { AgentUnderTest } from './agent-under-test.js'
import { FakeModel } from './fake-models/fake-model.js'
import { AGENTS } from './table/index.js'
import { wantedOf } from './wanted.js'

interface Event {
  type: string
  data: { text?: string }
  status?: string
}

describe.each(wantedOf(AGENTS.filter(({ name }) => name === 'claude')))(
  'settings of a turn with $name',
  (agent: AgentUnderTest) => {
    const model = new FakeModel()
    let home: AgentHome

    beforeAll(async () => {
      home = new AgentHome(agent, await model.listen())
    })
    afterAll(async () => {
      await home?.close()
      await model.close()
    })

    test('a call that tool_hooks.pre refuses is skipped and recorded; the other settings are accepted', async () => {
      const file = join(home.work, 'lamp.txt')
      model.when(
        'Write the lamp',
        { tool: { name: 'Write', input: { file_path: file, content: 'on\n' } } },
        { text: 'It was refused.' },
      )
      const dot = join(home.work, 'flow.dot')
      writeFileSync(
        dot,
        `digraph g { graph [worktree=none, tool_hooks.pre="echo no $SIGNALBOX_TOOL >&2; exit 1"]
          start [shape=Mdiamond]; exit [shape=Msquare]; start -> a -> exit
          a [prompt="Write the lamp", max_turns=5, allowed_tools="Write, Read", max_tokens=4000] }`,
      )
      const { hash } = await executableFiles(dot)
      const { code, stdout, stderr } = await home.run(
        ['run', 'flow.dot', '--agent', agent.name, '--trust', hash, '--json'],
        { timeoutMs: 170_000 },
      )
      expect({ code, stderr }, stdout.slice(-3_000)).toEqual({ code: 0, stderr: '' })
      const events = parseLines<Event>(stdout)
      expect(events.at(-1)).toMatchObject({ status: 'completed' })
      const notices = events.filter(({ type }) => type === 'run.notice').map(({ data }) => data.text)
      expect(notices).toEqual(['tool_hooks.pre refused Write: no Write'])
      expect(existsSync(file)).toBe(false)
    })
  },
)
