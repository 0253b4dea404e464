import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { CLI, waitFor } from '../e2e/harness.js'
import { until } from '../server/support.js'
import { CHROMIUM } from '../support/requirements.js'

/** Ends a test that hangs; it judges no speed. */
const WAIT_MS = 60_000
/** A page shows at once whether it accepts a press; for a busy machine it is doubled each time. */
const ACCEPTED_MS = 1_500

let shared: Promise<Browser> | null = null

/**
 * The Chromium of this process: starting one costs more than most tests. Each test file opens
 * profiles of its own and ends with `closeProfiles`; the browser ends with the process.
 */
export async function openBrowser(): Promise<Browser> {
  const running = await shared?.catch(() => null)
  if (running?.isConnected()) return running
  const args = ['--no-sandbox', '--disable-gpu', '--in-process-gpu']
  shared = chromium.launch({ executablePath: CHROMIUM!, args })
  return shared
}

export async function closeProfiles(browser: Browser | undefined): Promise<void> {
  for (const profile of browser?.contexts() ?? []) await profile.close()
}

/** A browser profile whose pages wait as long as a busy machine needs, and do not animate. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(WAIT_MS)
  return context
}

export interface Line {
  address: string
  link: string
  directory?: string
}

/** A server with its own temporary home directory. */
export class Served {
  readonly directory: string
  readonly home: string
  #child: ChildProcess | null = null
  #line: Line | null = null
  #err = ''

  constructor() {
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-web-')))
    this.home = join(this.directory, 'home')
  }

  /** Starts a command that prints one JSON line with its address, and waits for that line. */
  async start(args: readonly string[]): Promise<Line> {
    const child = spawn(process.execPath, [CLI, ...args], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    let out = ''
    this.#line = null
    child.stdout!.on('data', chunk => {
      out += String(chunk)
      const end = out.indexOf('\n')
      if (end >= 0 && !this.#line) this.#line = JSON.parse(out.slice(0, end)) as Line
    })
    child.stderr!.on('data', chunk => {
      this.#err += String(chunk)
    })
    return waitFor(`the address (${args.join(' ')})`, () => {
      if (child.exitCode !== null) throw new Error(`signalbox ${args.join(' ')}: ${this.#err}`)
      return this.#line
    })
  }

  get address(): string {
    return this.#line!.address
  }

  get env(): Record<string, string> {
    const { PATH = '/usr/bin:/bin', USER = 'root' } = process.env
    return {
      PATH,
      USER,
      HOME: this.directory,
      LANG: 'C.UTF-8',
      TMPDIR: this.directory,
      // The daemon of a test does not join the tmux servers of the person who runs it.
      TMUX_TMPDIR: this.directory,
      SIGNALBOX_HOME: this.home,
    }
  }

  /** Runs a command with the same home directory. */
  async run(args: readonly string[], home = this.home): Promise<string> {
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { ...this.env, SIGNALBOX_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    child.stdout!.on('data', chunk => {
      out += String(chunk)
    })
    await new Promise(resolve => child.once('close', resolve))
    return out
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise(resolve => child.once('close', resolve))
    child.kill(signal)
    await gone
  }

  async close(): Promise<void> {
    await this.kill('SIGINT')
    await waitFor('its processes to end', () => {
      rmSync(this.directory, { recursive: true, force: true, maxRetries: 3 })
      return !existsSync(this.directory)
    })
  }
}

/** Requests of a page to other servers than its own: must stay empty. */
export function watchOrigins(context: BrowserContext, address: string): string[] {
  const foreign: string[] = []
  context.on('request', request => {
    const url = new URL(request.url())
    if (url.origin !== address && !['data:', 'blob:'].includes(url.protocol)) foreign.push(request.url())
  })
  return foreign
}

/** Errors that a page threw or logged, without refused requests. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error' && !/status of 4\d\d|ERR_CONNECTION_REFUSED/.test(message.text()))
      errors.push(message.text())
  })
  return errors
}

export async function logIn(context: BrowserContext, link: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(link)
  await page.locator('.shell h1').first().waitFor()
  return page
}

/** Opens a page like a link of the dashboard, without loading the application, and waits for it. */
export async function show(page: Page, path: string): Promise<void> {
  await page.evaluate(to => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await page.locator('main h1').first().waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}

/**
 * Presses until the card of a request accepts it: a card that a new one has just moved refuses a
 * press.
 */
export async function pressCard(
  card: Locator,
  press: (options: { timeout: number }) => Promise<unknown>,
  isAccepted: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + WAIT_MS
  const once = { timeout: ACCEPTED_MS }
  let problem: unknown
  for (; Date.now() < deadline; once.timeout *= 2) {
    try {
      await card.and(card.page().locator('[data-still=true]')).waitFor(once)
      await press(once)
    } catch (error) {
      // An accepted press may have removed the card or its button.
      problem = error
    }
    if (await until(isAccepted, once.timeout).catch(() => false)) return
  }
  throw new Error(`${card} accepted no press`, { cause: problem })
}
