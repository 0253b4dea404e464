import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { closeProfiles, openBrowser, openContext, pressCard, Served, watchErrors, watchOrigins } from '../harness.js'

export let served: Served
export let browser: Browser
let context: BrowserContext
export let page: Page
export let link: string
export let errors: string[]
export let foreign: string[]
let demoHome: string

/** Starts the demo and opens a page that is not signed in. */
export async function openPage(): Promise<void> {
  served = new Served()
  const [line, opened] = await Promise.all([
    served.start(['demo', '--dashboard', '--json', '--speed', '6']),
    openBrowser(),
  ])
  link = line.link
  demoHome = `${line.directory}/home`
  browser = opened
  context = await openContext(browser, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  foreign = watchOrigins(context, line.address)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: line.address })
  page = await context.newPage()
  errors = watchErrors(page)
}

export async function closePage(): Promise<void> {
  await closeProfiles(browser)
  await served?.close()
}

export const newLink = async () =>
  (JSON.parse(await served.run(['serve', '--link', '--json'], demoHome)) as { link: string }).link
export const stopSession = async () => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Stop session…' }).click()
  await page.getByRole('dialog', { name: 'Stop this session?' }).getByRole('button', { name: 'Stop session' }).click()
}
export const card = (title: RegExp) => page.locator('article.card').filter({ hasText: title }).first()

/** A run's page removes the card as soon as its answer is applied. */
export const press = (one: Locator, name: string) => {
  const accepted = one.and(one.page().locator('[data-busy=true], :has(.card-end)'))
  return pressCard(
    one,
    once => one.getByRole('button', { name }).click(once),
    async () => (await one.count()) === 0 || (await accepted.count()) > 0,
  )
}
export const pressKey = (one: Locator, key: string, dialog: Locator) =>
  pressCard(
    one,
    () => page.keyboard.press(key),
    async () => (await dialog.count()) > 0,
  )
