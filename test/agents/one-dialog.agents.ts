import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import type { AgentUnderTest } from './agent-under-test.js'
import { BIG_DIALOGS, prepareBigDialogs } from './big-dialogs.js'
import { FakeModel } from './fake-models/fake-model.js'
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
    prepareBigDialogs(agent, home.place)
  })
  afterAll(async () => {
    await home?.close()
    await model.close()
  })

  // An agent without a hook for permissions has no other order.
  const orders = agent.name === 'gemini' ? [false] : [false, true]
  const cases = SIZES.flatMap(size => orders.map(isHookLate => ({ size, isHookLate })))

  describe.each(cases)('on $size with the hook late: $isHookLate', ({ size, isHookLate }) => {
    let session: string
    beforeAll(async () => {
      home.isHookLate = isHookLate
      session = await home.openSized(size)
    })
    afterAll(async () => void (await home.run(['stop', session])))

    test.each(Object.keys(BIG_DIALOGS))('the dialog "%s" is one request', async what => {
      const name = `${what.replace(/\W+/g, '-')}-${size}-${isHookLate}`
      const key = name.toUpperCase()
      const { tool, file } = BIG_DIALOGS[what]!(agent, home.place, name)
      model.when(key, { text: 'I do it.', tool }, { text: 'It is done.' })
      const before = new Set((await home.recorded(session)).map(({ id }) => id))
      const ofDialog = async () => (await home.recorded(session)).filter(({ id }) => !before.has(id))
      await home.ok(['send', session, `Please do ${key}`])
      // Codex shows its dialog only after the hook, and ends a hook that takes longer than 3 s.
      const isMenuOnly = agent.name === 'gemini' || (agent.name === 'codex' && isHookLate)
      const isHooked = (record: Recorded) =>
        isMenuOnly || [record.source, ...(record.joined ?? [])].some(({ channel }) => channel === 'hook')
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
      expect(list).toHaveLength(1)
      const [request] = list
      expect(request).toMatchObject({ state: 'pending', kind: 'permission' })
      expect(request!.risk.level).not.toBe('low')
      // A request is known in full from a report of the agent. One that is known only from a dialog
      // that does not show all of it is not allowed from here.
      const isUnseen = what !== 'a here-document' && request!.request.input === null
      if (isUnseen) expect(request!.terminalOnly).toBeDefined()
      const mayType = request!.terminalOnly === undefined || request!.source.can?.includes('hold') === true
      const approved = await home.run(['approve', request!.id, '--fingerprint', request!.fingerprint])
      if (mayType) expect(approved).toMatchObject({ code: 0 })
      else {
        expect(approved.stderr).toContain('only the terminal can allow this')
        expect(existsSync(file)).toBe(false)
        await home.ok(['deny', request!.id])
      }
      await home.waitUntil(session, 'idle')
      expect(existsSync(file)).toBe(mayType)
      const [after, ...more] = await ofDialog()
      expect(more).toEqual([])
      expect(after).toMatchObject({ state: 'applied', decision: { actor: { kind: 'person' }, surface: 'cli' } })
      expect(after!.outcome?.observed).toBeUndefined()
    })
  })
})
