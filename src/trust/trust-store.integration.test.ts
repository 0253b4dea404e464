import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../clock/index.js'
import { openHomeStore } from '../host/open-store.js'
import type { EventStore } from '../store/index.js'
import { executableFiles, isOwnFile, TrustStore } from './index.js'

let directory: string
let project: string
let store: EventStore
let trust: TrustStore

beforeEach(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-trust-')))
  project = join(directory, 'project')
  mkdirSync(join(project, 'flows'), { recursive: true })
  execFileSync('git', ['init', '-q', project])
  store = await openHomeStore({ dataDirectory: join(directory, 'home'), clock: systemClock, onError: () => undefined })
  trust = new TrustStore(store, join(directory, 'home'))
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const put = (path: string, text: string) => {
  mkdirSync(join(project, path, '..'), { recursive: true })
  writeFileSync(join(project, path), text)
}

function flow(body: string): string {
  put('flows/flow.dot', `digraph { start [shape=Mdiamond]; exit [shape=Msquare]; ${body} }`)
  return join(project, 'flows/flow.dot')
}

describe('the executable files of a workflow', () => {
  test('include its file, project settings, prompts, child graphs and scripts named by commands', async () => {
    put('.signalbox.toml', '')
    put('flows/plan.md', 'Plan it.')
    put('flows/child.dot', 'digraph { s [shape=Mdiamond]; t [shape=parallelogram, tool_command="./inner.sh"]; s -> t }')
    put('inner.sh', 'true')
    put('scripts/test.sh', 'true')
    put('unrelated.sh', 'true')
    const found = await executableFiles(
      flow(
        'a [prompt="@plan.md"]; t [shape=parallelogram, tool_command="FOO=1 sh ./scripts/test.sh --all && /bin/ls"]; m [shape=house, stack.child_dotfile="child.dot"]; start -> a -> t -> m -> exit',
      ),
    )
    expect(found.project).toBe(project)
    expect(found.commands).toEqual(['FOO=1 sh ./scripts/test.sh --all && /bin/ls', './inner.sh'])
    expect(Object.keys(found.files).sort()).toEqual([
      '.signalbox.toml',
      'flows/child.dot',
      'flows/flow.dot',
      'flows/plan.md',
      'inner.sh',
      'scripts/test.sh',
    ])
  })

  test('have another hash if any of them changes, and the same hash for any path to them', async () => {
    put('scripts/test.sh', 'true')
    const file = flow('t [shape=parallelogram, tool_command="scripts/test.sh"]; start -> t -> exit')
    const { hash } = await executableFiles(file)
    symlinkSync(project, join(directory, 'link'))
    expect((await executableFiles(join(directory, 'link/flows/flow.dot'))).hash).toBe(hash)
    put('scripts/test.sh', 'rm -rf ~')
    expect((await executableFiles(file)).hash).not.toBe(hash)
  })

  test('need no trust if they ship with Signalbox', () => {
    expect(isOwnFile(join(import.meta.dirname, '../../examples/release-check.dot'))).toBe(true)
    expect(isOwnFile(flow('start -> exit'))).toBe(false)
  })
})

describe('a project', () => {
  test('is not run before it is trusted, and then in the trusted version', async () => {
    const file = flow('start -> exit')
    const found = await executableFiles(file)
    expect(await trust.check(found)).toEqual({ isTrusted: false, added: ['flows/flow.dot'], changed: [] })
    await expect(trust.require(found, { by: 'a' })).rejects.toMatchObject({
      code: 'E_UNTRUSTED',
      next: expect.stringContaining(found.hash),
    })
    await expect(trust.require(found, { by: 'a', trust: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'E_UNTRUSTED',
    })
    // Too short: a guess could match.
    await expect(trust.require(found, { by: 'a', trust: found.hash.slice(0, 8) })).rejects.toThrow()
    await trust.require(found, { by: 'a', trust: found.hash.slice(0, 20) })
    await trust.require(found, { by: 'a' })
    expect(await trust.list()).toMatchObject([{ path: project, by: 'a', files: found.files }])
  })

  test('must be trusted again if it changed, with the difference shown; other files stay trusted', async () => {
    const file = flow('start -> exit')
    await trust.grant(await executableFiles(file), { by: 'a', how: 'asked' })
    put('flows/other.dot', 'digraph { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }')
    await trust.grant(await executableFiles(join(project, 'flows/other.dot')), { by: 'a', how: 'asked' })
    flow('t [shape=parallelogram, tool_command="curl x | sh"]; start -> t -> exit')
    const now = await executableFiles(file)
    expect(await trust.check(now)).toMatchObject({ isTrusted: false, added: [], changed: ['flows/flow.dot'] })
    expect(await trust.difference(now, 'flows/flow.dot')).toMatch(/^\+.*curl x \| sh/m)
    expect((await trust.check(await executableFiles(join(project, 'flows/other.dot')))).isTrusted).toBe(true)
  })

  test('must be trusted again after a revocation, like another repository at the same path', async () => {
    const file = flow('start -> exit')
    await trust.grant(await executableFiles(file), { by: 'a', how: 'asked' })
    rmSync(join(project, '.git'), { recursive: true })
    const bare = await executableFiles(file)
    expect(bare.commonDirectory).toBeNull()
    expect((await trust.check({ ...bare, project })).isTrusted).toBe(false)
    execFileSync('git', ['init', '-q', project])
    const found = await executableFiles(file)
    expect((await trust.check(found)).isTrusted).toBe(true)
    expect(await trust.revoke(project, 'a')).toBe(true)
    expect(await trust.revoke(project, 'a')).toBe(false)
    expect((await trust.check(found)).isTrusted).toBe(false)
  })
})
