import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EXIT, exitCodeOf } from '../../errors/index.js'
import { run as cancel } from '../commands/cancel.js'
import { run as implement } from '../commands/implement.js'
import { run as pipelines } from '../commands/pipelines.js'
import { run as resume } from '../commands/resume.js'
import { run as review } from '../commands/review.js'
import { run as runs } from '../commands/runs.js'
import { run as show } from '../commands/show.js'
import { run as trust } from '../commands/trust.js'
import type { CommandContext } from '../context.js'

/* Runs that are created and not started: everything that happens before an agent works. */

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-queue-')))
const cwd = join(directory, 'work')
const bin = join(directory, 'bin')
let jira: Server
let printed: unknown[] = []

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

const GH = `#!/bin/sh
case "$*" in
  "auth status") ;;
  "issue view 12 "*) echo '{"number":12,"title":"A bell","body":"It rings.","state":"OPEN","labels":[],"url":"https://github.com/o/r/issues/12"}' ;;
  *) echo "no such thing" >&2; exit 1 ;;
esac
`

beforeAll(async () => {
  mkdirSync(bin)
  writeFileSync(join(bin, 'gh'), GH)
  chmodSync(join(bin, 'gh'), 0o755)
  jira = createServer((_, response) =>
    response.end(JSON.stringify({ key: 'ABC-7', fields: { summary: 'A horn', description: null, status: null } })),
  )
  await new Promise<void>(resolve => jira.listen(0, '127.0.0.1', resolve))
})
beforeEach(() => {
  for (const place of [join(directory, 'home'), cwd]) rmSync(place, { recursive: true, force: true })
  mkdirSync(cwd)
  git('init', '-q', '-b', 'main')
  git('config', 'user.email', 'a@b')
  git('config', 'user.name', 'a')
  writeFileSync(join(cwd, 'a.txt'), 'one\n')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  printed = []
})
afterAll(() => {
  jira.close()
  rmSync(directory, { recursive: true, force: true })
})

function context(): CommandContext {
  const env = {
    SIGNALBOX_HOME: join(directory, 'home'),
    HOME: directory,
    PATH: `${bin}:${process.env.PATH}`,
    JIRA_BASE_URL: `http://127.0.0.1:${(jira.address() as AddressInfo).port}`,
    JIRA_EMAIL: 'a@b',
    JIRA_API_TOKEN: 'x',
  }
  const print = (line: unknown) => void printed.push(line)
  return {
    env,
    cwd,
    columns: 200,
    isInteractive: false,
    out: print,
    note: () => undefined,
    progress: () => undefined,
    write: print,
    json: print,
    style: (_: string, text: string) => text,
  } as never
}

const input = (args: object, options: object) => ({ args, options, rest: null }) as never

async function queue(issue: string | undefined, options: object = {}): Promise<{ run: string; ahead: number }> {
  await implement(context(), input({ issue }, { agent: 'demo', queue: true, json: true, ...options }))
  return printed.at(-1) as { run: string; ahead: number }
}

async function refusal(work: Promise<number>): Promise<{ code: number; message: string; next: string | undefined }> {
  try {
    return { code: await work, message: 'no error', next: undefined }
  } catch (error) {
    const { message, next } = error as Error & { next?: string }
    return { code: exitCodeOf(error), message, next }
  }
}

const USAGE: typeof EXIT.usage = 2
const UNTRUSTED: typeof EXIT.needsHuman = 4

test('issues are read from a file, gh, Jira and --title', async () => {
  writeFileSync(join(directory, 'issue.md'), '# A lamp\n\nIt shines.\n')
  for (const [issue, options] of [
    [join(directory, 'issue.md'), {}],
    ['gh:12', {}],
    ['jira:ABC-7', {}],
    [undefined, { title: 'A whistle', description: 'Loud.' }],
  ] as const)
    await queue(issue, options)
  printed = []
  await runs(context(), input({}, { json: true }))
  const titles = (printed[0] as { title: string }[]).map(({ title }) => title)
  expect(titles.sort()).toEqual(['A bell', 'A horn', 'A lamp', 'A whistle'])
})

test('a higher priority starts first, and each run shows its queue position and what it waits for', async () => {
  const [one, two, urgent] = [
    await queue(undefined, { title: 'One' }),
    await queue(undefined, { title: 'Two' }),
    await queue(undefined, { title: 'Urgent', label: ['priority=2', 'team=signals'] }),
  ]
  expect([one.ahead, two.ahead, urgent.ahead]).toEqual([0, 1, 0])
  printed = []
  await runs(context(), input({}, {}))
  expect(printed.find(line => String(line).includes('Urgent'))).toContain(
    `(next; waits for signalbox resume ${urgent.run})`,
  )
  expect(printed.find(line => String(line).includes('Two'))).toContain('(number 3;')
  await show(context(), input({ run: one.run, id: one.run }, {}))
  expect(printed.join('\n')).toContain('number 2 in the queue')
  expect(await refusal(implement(context(), input({}, { agent: 'demo', title: 'x', label: ['odd'] })))).toMatchObject({
    code: USAGE,
    message: expect.stringContaining('key=value'),
  })
})

test('cancel and resume without an id select the only run here, or list several', async () => {
  const [one, two] = [await queue(undefined, { title: 'One' }), await queue(undefined, { title: 'Two' })]
  for (const command of [cancel, resume]) {
    const refused = await refusal(command(context(), input({}, {})))
    expect(refused.code).toBe(USAGE)
    expect(refused.message).toContain(one.run)
    expect(refused.message).toContain(two.run)
  }
  await cancel(context(), input({ run: one.run }, {}))
  printed = []
  await cancel(context(), input({}, {}))
  expect(printed).toEqual([`${two.run} is cancelled`])
  expect((await refusal(cancel(context(), input({}, {})))).message).toContain('no unfinished run')
})

test('set-plan gives a queued run a plan, and reports an invalid one', async () => {
  const { run } = await queue(undefined, { title: 'A lamp' })
  writeFileSync(join(cwd, 'plan.md'), 'short')
  printed = []
  await pipelines(context(), input({ action: 'set-plan', name: run, file: 'plan.md' }, {}))
  expect(printed[0]).toMatch(/starts with this plan, which is not valid: no_task_header/)
  await cancel(context(), input({ run }, {}))
  expect(
    (await refusal(pipelines(context(), input({ action: 'set-plan', name: run, file: 'plan.md' }, {})))).message,
  ).toMatch(/neither queued nor waiting/)
})

test('a project whose files start programs needs trust by their hash, and again after a change', async () => {
  mkdirSync(join(cwd, '.claude'))
  writeFileSync(join(cwd, '.claude', 'settings.json'), '{"hooks":{}}')
  git('add', '.')
  git('commit', '-qm', 'settings of an agent')
  const refused = await refusal(queue(undefined, { title: 'x' }).then(() => 0))
  expect(refused).toMatchObject({ code: UNTRUSTED, message: expect.stringContaining('not trusted yet') })
  const [, hash] = /--trust ([0-9a-f]{64})/.exec(refused.next ?? '') ?? []
  const local = { agent: 'demo', local: true, json: true }
  expect((await refusal(review(context(), input({}, local)))).code).toBe(UNTRUSTED)
  printed = []
  await trust(context(), input({ file: '.' }, { json: true }))
  expect(printed).toMatchObject([{ project: cwd, hash, isTrusted: false, added: ['.claude/settings.json'] }])
  await queue(undefined, { title: 'x', trust: hash })
  await queue(undefined, { title: 'again' })
  writeFileSync(join(cwd, '.claude', 'settings.json'), '{"hooks":{"Stop":[]}}')
  // A worktree starts from the commit, which has not changed; a review reads the directory.
  await queue(undefined, { title: 'once more' })
  expect(await refusal(review(context(), input({}, local)))).toMatchObject({
    code: UNTRUSTED,
    message: expect.stringContaining('.claude/settings.json changed'),
  })
})

test('settings of a trusted project apply to the run', async () => {
  writeFileSync(join(cwd, '.signalbox.toml'), '[pipelines]\nprofile = "nobody"\n')
  const untrusted = await refusal(queue(undefined, { title: 'x' }).then(() => 0))
  expect(untrusted.code).toBe(UNTRUSTED)
  const [, hash] = /--trust ([0-9a-f]{64})/.exec(untrusted.next ?? '') ?? []
  const refused = await refusal(queue(undefined, { title: 'x', trust: hash }).then(() => 0))
  expect(refused.message).toContain('no profile "nobody"')
})

test('a branch checked out elsewhere and a directory with a merge conflict are refused with the reason', async () => {
  expect(await refusal(queue(undefined, { title: 'x', branch: 'main' }).then(() => 0))).toMatchObject({
    code: USAGE,
    message: `main is checked out in ${cwd}`,
  })
  git('checkout', '-q', '-b', 'theirs')
  writeFileSync(join(cwd, 'a.txt'), 'theirs\n')
  git('commit', '-qam', 'theirs')
  git('checkout', '-q', '-b', 'ours', 'main')
  writeFileSync(join(cwd, 'a.txt'), 'ours\n')
  git('commit', '-qam', 'ours')
  spawnSync('git', ['merge', '-q', 'theirs'], { cwd })
  const inPlace = refusal(queue(undefined, { title: 'x', inPlace: true, allowDirty: true }).then(() => 0))
  expect((await inPlace).message).toBe('merge conflict in a.txt')
  const fixing = review(context(), input({}, { agent: 'demo', local: true, fix: true, json: true }))
  expect(await refusal(fixing)).toMatchObject({ code: USAGE, message: 'merge conflict in a.txt' })
  git('merge', '--abort')
  const { run } = await queue(undefined, { title: 'x', inPlace: true })
  const second = await refusal(queue(undefined, { title: 'y', inPlace: true }).then(() => 0))
  expect(second.message).toBe(`run ${run} already works in this directory`)
})
