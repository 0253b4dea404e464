import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claudeHooks, wireClaudeHooks } from '../../src/agents/claude-hooks.js'
import type { HookAnswer } from '../../src/agents/index.js'
import { waitFor } from '../e2e/harness.js'
import { AgentHome } from './agent-home.js'
import { FakeModel } from './fake-models/fake-model.js'
import { HookLog } from './hook-log.js'
import { claude } from './table/claude.js'
import { isWanted } from './wanted.js'

describe.runIf(isWanted(claude))('the hooks of claude', () => {
  const model = new FakeModel()
  let home: AgentHome
  let log: HookLog
  let session: string

  beforeAll(async () => {
    home = new AgentHome(claude, await model.listen())
    log = new HookLog(home.directory, { mayHold: true })
    session = (await home.begin(['--settings', wireClaudeHooks(log.wiring)])).id
  })

  afterAll(async () => {
    await home?.close()
    await model.close()
  })

  /** Lets the agent ask for a command, answers by the hook, and waits until the agent is idle. */
  async function ask(key: string, command: string, answer: HookAnswer): Promise<string[][]> {
    log.willAnswer(claudeHooks.answer!(answer) ?? '')
    model.when(key, { text: 'I run it.', tool: claude.shell(command, home.place) }, { text: `That was ${key}.` })
    const before = log.heard().length
    await home.ok(['send', session, `Please do ${key}`])
    await waitFor('the request', () =>
      log
        .heard()
        .slice(before)
        .some(({ event }) => event === 'PermissionRequest'),
    )
    await waitFor('the end of the turn', async () => (await home.session(session)).idle === true)
    return model.served.filter(served => served.key === key).map(({ request }) => request.results)
  }

  test('allow runs the command without a key press', async () => {
    expect(await ask('ALLOWED', 'echo yes > allowed.txt', { behavior: 'allow' })).toHaveLength(2)
    expect(home.file('allowed.txt')).toBe('yes\n')
  })

  test('deny stops the turn like the dialog does', async () => {
    expect(await ask('DENIED', 'echo no > denied.txt', { behavior: 'deny' })).toEqual([[]])
    expect(home.file('denied.txt')).toBeNull()
  })

  test('deny with a reason lets the model continue with the reason', async () => {
    const results = await ask('REASONED', 'echo no > denied.txt', { behavior: 'deny', message: 'not on main' })
    expect(results).toEqual([[], ['not on main']])
    expect(home.file('denied.txt')).toBeNull()
  })

  test('an edited input runs instead of the requested one', async () => {
    const updatedInput = { command: 'echo edited > edited.txt', description: 'edited' }
    await ask('EDITED', 'echo original > original.txt', { behavior: 'allow', updatedInput })
    expect(home.file('edited.txt')).toBe('edited\n')
    expect(home.file('original.txt')).toBeNull()
  })

  test('a rule for the session prevents a second request and is not written to a file', async () => {
    const sessionRule = {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'node *' }],
      behavior: 'allow',
      destination: 'localSettings',
    }
    await ask('RULED', 'node -e "1"', { behavior: 'allow', sessionRule })
    const requests = log.heard().filter(({ event }) => event === 'PermissionRequest').length
    model.when('AGAIN', { tool: claude.shell('node -e "2"', home.place) }, { text: 'Done again.' })
    expect((await home.send(session, 'Please do it AGAIN')).code).toBe(0)
    expect(log.heard().filter(({ event }) => event === 'PermissionRequest')).toHaveLength(requests)
    expect(existsSync(join(home.work, '.claude'))).toBe(false)
    expect(existsSync(join(home.place.home, '.claude', 'settings.json'))).toBe(false)
  })

  test('every payload is parsed', async () => {
    const statements = log.heard().flatMap(({ event, payload }) => claudeHooks.read(event, payload))
    expect(new Set(statements.map(({ kind }) => kind))).toEqual(
      new Set(['session', 'prompt', 'tool', 'request', 'turn-ended']),
    )
    const started = statements.find(statement => statement.kind === 'session')
    expect(started).toMatchObject({ agentSession: (await home.agentSession(session))!, cwd: home.work })
  })
})
