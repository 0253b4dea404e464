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
let book: TrustStore

beforeEach(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-trust-')))
  project = join(directory, 'project')
  mkdirSync(join(project, 'flows'), { recursive: true })
  execFileSync('git', ['init', '-q', project])
  store = await openHomeStore({ dataDirectory: join(directory, 'home'), clock: systemClock, onError: () => undefined })
  book = new TrustStore(store, join(directory, 'home'))
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

describe('what a workflow would run', () => {
  test('is its file, the project’s settings, prompts, children and theirs, and scripts that commands name', async () => {
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

  test('has another hash when any of it changes, and the same by whatever path it is named', async () => {
    put('scripts/test.sh', 'true')
    const file = flow('t [shape=parallelogram, tool_command="scripts/test.sh"]; start -> t -> exit')
    const { hash } = await executableFiles(file)
    symlinkSync(project, join(directory, 'link'))
    expect((await executableFiles(join(directory, 'link/flows/flow.dot'))).hash).toBe(hash)
    put('scripts/test.sh', 'rm -rf ~')
    expect((await executableFiles(file)).hash).not.toBe(hash)
  })

  test('that comes with the program needs no asking', () => {
    expect(isOwnFile(join(import.meta.dirname, '../../examples/release-check.dot'))).toBe(true)
    expect(isOwnFile(flow('start -> exit'))).toBe(false)
  })
})

describe('a project', () => {
  test('is not run before somebody let it, and then as it was', async () => {
    const file = flow('start -> exit')
    const found = await executableFiles(file)
    expect(await book.check(found)).toEqual({ isTrusted: false, added: ['flows/flow.dot'], changed: [] })
    await expect(book.require(found, { by: 'a' })).rejects.toMatchObject({
      code: 'E_UNTRUSTED',
      next: expect.stringContaining(found.hash),
    })
    await expect(book.require(found, { by: 'a', trust: 'f'.repeat(64) })).rejects.toMatchObject({ code: 'E_UNTRUSTED' })
    // Too short to be more than a guess.
    await expect(book.require(found, { by: 'a', trust: found.hash.slice(0, 8) })).rejects.toThrow()
    await book.require(found, { by: 'a', trust: found.hash.slice(0, 20) })
    await book.require(found, { by: 'a' })
    expect(await book.list()).toMatchObject([{ path: project, by: 'a', files: found.files }])
  })

  test('that changed is asked about again, with what is different; other files stay trusted', async () => {
    const file = flow('start -> exit')
    await book.grant(await executableFiles(file), { by: 'a', how: 'asked' })
    put('flows/other.dot', 'digraph { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }')
    await book.grant(await executableFiles(join(project, 'flows/other.dot')), { by: 'a', how: 'asked' })
    flow('t [shape=parallelogram, tool_command="curl x | sh"]; start -> t -> exit')
    const now = await executableFiles(file)
    expect(await book.check(now)).toMatchObject({ isTrusted: false, added: [], changed: ['flows/flow.dot'] })
    expect(await book.difference(now, 'flows/flow.dot')).toMatch(/^\+.*curl x \| sh/m)
    expect((await book.check(await executableFiles(join(project, 'flows/other.dot')))).isTrusted).toBe(true)
  })

  test('that was taken back is asked about; so is another repository at the same path', async () => {
    const file = flow('start -> exit')
    await book.grant(await executableFiles(file), { by: 'a', how: 'asked' })
    rmSync(join(project, '.git'), { recursive: true })
    const bare = await executableFiles(file)
    expect(bare.commonDirectory).toBeNull()
    expect((await book.check({ ...bare, project })).isTrusted).toBe(false)
    execFileSync('git', ['init', '-q', project])
    const found = await executableFiles(file)
    expect((await book.check(found)).isTrusted).toBe(true)
    expect(await book.revoke(project, 'a')).toBe(true)
    expect(await book.revoke(project, 'a')).toBe(false)
    expect((await book.check(found)).isTrusted).toBe(false)
  })
})
