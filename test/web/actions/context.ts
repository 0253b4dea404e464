import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import type { ApprovalRequest } from '../../../src/approvals/index.js'
import { reportedOf } from '../../../src/approvals/testing/fixtures.js'
import { OWNER } from '../../../src/server/caller.js'
import { TestServer } from '../../server/support.js'
import { closeProfiles, openBrowser, openContext, pressCard, watchErrors } from '../harness.js'

export const GATED =
  'digraph gated { goal="Say it"; start [shape=Mdiamond]; first [shape=parallelogram, tool_command="echo one"]; ask [shape=hexagon, label="Go on?"]; last [shape=parallelogram, tool_command="echo two"]; exit [shape=Msquare]; start -> first -> ask; ask -> last [label="[Y] Yes"]; ask -> exit [label="[N] No"]; last -> exit }'
export const PLAN = '# Fix the cart\n\n1. Read `src/cart.js`\n2. Add a **test**\n\n- [ ] tests pass\n'

export let server: TestServer
export let browser: Browser
let context: BrowserContext
export let page: Page
export let errors: string[]

/** Starts the server and signs the browser in. */
export async function openPage(): Promise<void> {
  const [started, opened] = await Promise.all([TestServer.start({ hasRuns: true }), openBrowser()])
  server = started
  browser = opened
  mkdirSync(join(server.work, 'src'), { recursive: true })
  writeFileSync(join(server.work, 'src', 'note.txt'), 'kept in the project')
  context = await openContext(browser, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.address })
  page = await context.newPage()
  errors = watchErrors(page)
  await page.goto(await link())
  await page.locator('.shell h1').first().waitFor()
}

export async function closePage(): Promise<void> {
  await closeProfiles(browser)
  await server?.close()
}

export const link = async () => `${server.address}/login#${await server.api.parts.auth.codes.make(OWNER)}`
export const open = (path: string) => page.goto(`${server.address}${path}`)
export const ask = (request: ApprovalRequest) => server.host.ledger.request(request)
export const known = async (id: string) => (await server.host.ledger.get(id))!
export const card = (id: string) => page.locator(`article.card[data-approval="${id}"]`)
export const command = (key: string, text: string, subject: object = {}) =>
  ask(reportedOf({ requestKey: key, input: { command: text } }, { project: server.work, cwd: server.work, ...subject }))

export const press = (one: Locator, id: string, button: Locator) =>
  pressCard(
    one,
    once => button.click(once),
    async () => (await known(id)).state !== 'pending',
  )

/** The request of a pipeline's gate, as `src/pipelines/gates.ts` makes it. */
export const gate = (
  kind: 'plan' | 'review',
  payload: object,
  options: [key: string, label: string, meaning: string][],
  isMulti = false,
) => {
  const base = reportedOf({ requestKey: `${kind}${Math.random()}` }, { project: server.work, run: 'run_gate' })
  return ask({
    ...base,
    kind,
    source: { ...base.source, channel: 'run', ...(kind === 'plan' && { can: ['edit'] }) },
    request: {
      ...base.request,
      input: payload,
      text: 'The gate of a pipeline',
      freeText: 'optional',
      questions: [{ text: 'The gate of a pipeline', multi: isMulti }],
      options: options.map(([key, label, meaning]) => ({ key, label, meaning, from: 'signalbox', danger: null })),
    },
  } as ApprovalRequest)
}
export const plan = (version: number, diff: string | null) =>
  gate(
    'plan',
    {
      gate: 'plan',
      goal: 'Fix the cart',
      plan_path: null,
      plan_hash: 'x',
      plan_markdown: PLAN,
      version,
      validation: { valid: true, issues: ['task_without_body'], severity: 'minor' },
      tasks: [
        { number: '1', title: 'Read the cart' },
        { number: '2', title: 'Add a test' },
      ],
      key_files: ['src/cart.js'],
      is_salvaged: false,
      rejections: diff === null ? [] : ['too long'],
      diff,
    },
    [
      ['approve', 'Approve', 'allow-once'],
      ['edit', 'Approve with my edits', 'text'],
      ['reject', 'Reject with feedback', 'deny-with-text'],
      ['cancel', 'Cancel the run', 'choice'],
    ],
  )
