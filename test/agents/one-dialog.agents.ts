import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import type { AgentPlace, AgentUnderTest } from './agent-under-test.js'
import { FakeModel } from './fake-models/fake-model.js'
import type { ToolCall } from './fake-models/wire.js'
import { claude } from './table/claude.js'
import { codex } from './table/codex.js'
import { gemini } from './table/gemini.js'
import { wantedOf } from './wanted.js'

/*
 * One dialog of a real agent is one request, however little of it fits on the screen, and whether
 * its hook or its menu is first.
 */

interface Recorded {
  id: string
  state: string
  requestedAt: number
  kind: string
  fingerprint: string
  terminalOnly?: string
  risk: { level: string }
  subject: { session: string }
  request: { tool: string; input: unknown; text: string | null; options: { label: string; meaning: string }[] }
  source: { channel: string; requestKey: string; can?: string[] }
  joined?: { channel: string }[]
  decision?: { actor: { kind: string }; surface: string }
  outcome?: { reason?: string; followedBy?: string; observed?: object }
}

const ran = (name: string) => `node -e "require('fs').appendFileSync('${name}.txt','x')"`

const COMMANDS: Record<string, (name: string) => string> = {
  'a here-document': name => `cat > notes.md <<'EOF'\n# Notes\n\n- first\n- second\nEOF\n${ran(name)}`,
  'a command of 60 lines': name =>
    [...Array.from({ length: 59 }, (_, n) => `echo step ${n} of many > /dev/null`), ran(name)].join('\n'),
}

const LINES = Array.from({ length: 200 }, (_, n) => `const value${n} = ${n}`).join('\n')

/** How the model of each agent asks to write a file of 200 lines. */
const WRITES: Record<string, (name: string, place: AgentPlace) => ToolCall> = {
  claude: (name, { project }) => ({
    name: 'Write',
    input: { file_path: join(project, `${name}.txt`), content: LINES },
  }),
  gemini: (name, { project }) => ({
    name: 'write_file',
    input: { file_path: join(project, `${name}.txt`), content: LINES },
  }),
}

/** Loaded into every relay: holds back the one that reports a permission. */
const LATE_HOOK = `
if (process.argv.includes('PermissionRequest')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000)
`

class SizedHome extends AgentHome {
  isHookLate = false

  override get env(): Record<string, string> {
    const late = this.isHookLate ? { NODE_OPTIONS: `--require ${join(this.directory, 'late-hook.cjs')}` } : {}
    return { ...super.env, ...late }
  }

  async openSized(size: string): Promise<string> {
    writeFileSync(join(this.directory, 'late-hook.cjs'), LATE_HOOK)
    const words = ['start', this.agent.name, '--json', '--size', size, '--', ...(this.agent.args ?? [])]
    const { id } = await this.json<{ id: string }>(words)
    await this.waitUntil(id, 'idle')
    return id
  }

  async recorded(session: string): Promise<Recorded[]> {
    const all = await this.json<Recorded[]>(['approvals', '--all', '--json'])
    return all.filter(({ subject, outcome }) => subject.session === session && outcome?.followedBy === undefined)
  }
}

const AGENTS: readonly AgentUnderTest[] = [claude, codex, gemini]
const SIZES = ['64x20', '100x32', '160x50']

describe.each(wantedOf(AGENTS))('$name', agent => {
  const model = new FakeModel()
  let home: SizedHome

  beforeAll(async () => {
    home = new SizedHome(agent, await model.listen())
  })
  afterAll(async () => {
    await home?.close()
    await model.close()
  })

  // An agent without a hook for permissions has no other order.
  const orders = agent.name === 'gemini' ? [false] : [false, true]
  const cases = SIZES.flatMap(size => orders.map(isHookLate => ({ size, isHookLate })))

  describe.each(cases)('on $size, the hook late: $isHookLate', ({ size, isHookLate }) => {
    let session: string
    beforeAll(async () => {
      home.isHookLate = isHookLate
      session = await home.openSized(size)
    })
    afterAll(async () => void (await home.run(['stop', session])))

    const dialogs = [...Object.keys(COMMANDS), ...(WRITES[agent.name] ? ['a file of 200 lines'] : [])]
    test.each(dialogs)('%s is one request', async what => {
      const name = `${what.replace(/\W+/g, '-')}-${size}-${isHookLate}`
      const key = name.toUpperCase()
      const command = COMMANDS[what]
      const tool = command ? agent.shell(command(name), home.place) : WRITES[agent.name]!(name, home.place)
      model.when(key, { text: 'I do it.', tool }, { text: 'It is done.' })
      const before = new Set((await home.recorded(session)).map(({ id }) => id))
      const ofDialog = async () => (await home.recorded(session)).filter(({ id }) => !before.has(id))
      await home.ok(['send', session, `Please do ${key}`])
      const isHooked = (record: Recorded) =>
        agent.name === 'gemini' || [record.source, ...(record.joined ?? [])].some(({ channel }) => channel === 'hook')
      const [first] = await waitFor('the dialog and its report', async () => {
        const list = await ofDialog()
        const isKnown = list.some(record => isHooked(record) && record.source.requestKey !== '')
        return isKnown && ((await home.session(session)) as { phase?: string }).phase === 'tool-pending' ? list : null
      })
      // Both ways to learn of the request have had their time.
      await waitFor(
        'every hook to be known',
        async () => Date.now() > first!.requestedAt + (isHookLate ? 6_000 : 2_000),
      )
      const list = await ofDialog()
      console.log(
        name,
        JSON.stringify(
          list.map(r => ({
            k: r.kind,
            t: r.request.tool,
            s: r.state,
            risk: r.risk.level,
            src: r.source.requestKey,
            can: r.source.can,
            to: r.terminalOnly,
            j: r.joined?.map(j => j.channel),
            text: r.request.text?.slice(0, 60),
            o: r.request.options.map(o => `${o.meaning}|${o.label.slice(0, 20)}`),
          })),
        ),
        `\n${await home.screen(session)}`,
      )
      expect(list).toHaveLength(1)
      const [request] = list
      expect(request).toMatchObject({ state: 'pending', kind: 'permission' })
      expect(request!.risk.level).not.toBe('low')
      const mayType = request!.terminalOnly === undefined || request!.source.can?.includes('hold') === true
      const approved = await home.run(['approve', request!.id, '--fingerprint', request!.fingerprint])
      if (mayType) expect(approved).toMatchObject({ code: 0 })
      else {
        expect(approved.stderr).toContain('only the terminal can allow this')
        expect(home.file(`${name}.txt`)).toBeNull()
        await home.ok(['deny', request!.id])
      }
      await home.waitUntil(session, 'idle')
      expect(home.file(`${name}.txt`) !== null).toBe(mayType)
      const [after, ...more] = await ofDialog()
      expect(more).toEqual([])
      expect(after).toMatchObject({ state: 'applied', decision: { actor: { kind: 'person' }, surface: 'cli' } })
      expect(after!.outcome?.observed).toBeUndefined()
    })
  })
})
