import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { loadAgent } from '../../src/agents/index.js'
import { describeRecorded, type FindRecorded } from './recorded.js'

const AGENTS: Readonly<Record<string, string>> = {
  gemini: 'gemini',
  qwen: 'qwen',
  copilot: 'copilot',
  cline: 'cline',
  pi: 'pi',
  'pi-0.87': 'pi',
}

interface Truth {
  cwd: string
  user: string
  expect: { finished: boolean; lastAssistant?: string; runningTool?: string }
}

const disks = (recorded: FindRecorded) =>
  Object.entries(AGENTS).flatMap(([folder, agent]) =>
    recorded(folder, name => name.startsWith('disk-'))
      .filter(root => existsSync(join(root, 'home')))
      .map(root => ({ folder, agent, state: basename(root), root })),
  )

describeRecorded('the files that a real agent left on disk', disks, cases => {
  it.each(cases)('are found and read completely: $folder $state', async ({ agent, state, root }) => {
    const truth = JSON.parse(readFileSync(join(root, 'truth.json'), 'utf8')) as Truth
    const { transcript } = await loadAgent(agent)
    const home = mkdtempSync(join(tmpdir(), 'signalbox-disk-'))
    cpSync(join(root, 'home'), home, { recursive: true })
    try {
      const place = { env: { HOME: home }, cwd: truth.cwd, agentSessionId: null, startedAt: 0 }
      const [path] = await transcript!.locate(place)
      // Pi 0.87 writes nothing before the first answer.
      if (path === undefined) return expect([agent, state]).toEqual(['pi', 'disk-streaming'])
      const { statements, skipped } = await transcript!.open(path, place).read()
      expect(skipped).toBe(0)
      const session = statements.find(({ kind }) => kind === 'session')
      const found = await transcript!.locate({
        ...place,
        agentSessionId: (session as { agentSession: string }).agentSession,
      })
      expect(found).toEqual([path])
      const prompts = statements.flatMap(statement => (statement.kind === 'prompt' ? [statement.text] : []))
      const said = statements.flatMap(statement => (statement.kind === 'said' ? [statement.markdown] : []))
      // Cline writes the prompt together with the answer.
      if (!(agent === 'cline' && state === 'disk-streaming')) expect(prompts).toEqual([truth.user])
      expect(said).toEqual(
        truth.expect.lastAssistant === undefined || state === 'disk-streaming' ? [] : [truth.expect.lastAssistant],
      )
      const hasEnded = statements.some(({ kind }) => kind === 'turn-ended')
      // Gemini does not record it, and Cline's state follows from its change: there was none.
      if (agent !== 'gemini' && agent !== 'cline') expect(hasEnded).toBe(truth.expect.finished)
      if (truth.expect.runningTool !== undefined && agent !== 'gemini') {
        const open = statements.filter(({ kind }) => kind === 'tool')
        expect(open).toMatchObject([{ kind: 'tool', state: 'started' }])
        expect(JSON.stringify(open)).toContain(truth.expect.runningTool)
      }
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })
})
