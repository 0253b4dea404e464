import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codexHookArguments, codexHooks } from '../../src/agents/codex-hooks.js'
import { waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import { FakeModel } from './fake-models/fake-model.js'
import { HookLog } from './hook-log.js'
import { codex } from './table/codex.js'
import { isWanted } from './wanted.js'

describe.runIf(isWanted(codex))('the hooks of codex', () => {
  const model = new FakeModel()
  let home: AgentHome
  let log: HookLog
  let session: string

  beforeAll(async () => {
    home = new AgentHome(codex, await model.listen())
    // A repository with its own hooks, which no person has reviewed.
    mkdirSync(join(home.work, '.codex'))
    const planted = { type: 'command', command: `touch ${join(home.directory, 'planted')}`, timeout: 3 }
    const hooks = { SessionStart: [{ hooks: [planted] }] }
    writeFileSync(join(home.work, '.codex', 'hooks.json'), JSON.stringify({ hooks }))
    log = new HookLog(home.directory, { mayHold: false })
    session = await home.open(codexHookArguments(log.wiring))
  })

  afterAll(async () => {
    await home?.close()
    await model.close()
  })

  test('hooks of Signalbox need no review, hooks of the repository do', async () => {
    const question = await waitFor('the dialog about hooks', async () => {
      const screen = await home.screen(session)
      return screen.includes('Hooks need review') ? screen : null
    })
    expect(question).toContain('1 hook is new or changed')
    await home.press(session, '\u001b')
    await home.waitUntil(session, 'idle')
  })

  test('hooks of Signalbox run, hooks of the repository do not', async () => {
    model.when(
      'ALLOWED',
      { text: 'I run it.', tool: codex.shell('echo yes > allowed.txt', home.place) },
      { text: 'Done.' },
    )
    expect((await home.send(session, 'Please do the ALLOWED thing')).code).toBe(4)
    const approval = await home.onePending(session)
    await home.ok(['approve', approval.id, '--fingerprint', approval.fingerprint])
    await waitFor('the turn to end', () => log.heard().some(({ event }) => event === 'Stop'))
    const events = log.heard().map(({ event }) => event)
    for (const event of ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PermissionRequest', 'PostToolUse', 'Stop'])
      expect(events).toContain(event)
    expect(home.file('../planted')).toBeNull()
  })

  test('send payloads that are all parsed and belong to one conversation', async () => {
    const statements = log.heard().flatMap(({ event, payload }) => codexHooks.read(event, payload))
    expect(new Set(statements.map(({ kind }) => kind))).toEqual(
      new Set(['session', 'prompt', 'tool', 'request', 'turn-ended']),
    )
    expect(new Set(log.heard().map(({ payload }) => payload.session_id)).size).toBe(1)
  })
})
